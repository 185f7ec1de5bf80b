"""The mail servers of the game: Exim, which takes mails and passes them on, and Dovecot.

Neither needs root: each runs with a configuration and a folder of its own, on free ports. As root
they run as ``nobody``.
"""

from __future__ import annotations

import grp
import imaplib
import os
import pwd
import shutil
import smtplib
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Any

from imap_tools import MailBoxUnencrypted

from tests.servers import Server, free_port

PASSWORD = "secret"
SERVICE = "dewan.example"
PLAYERS = "players.example"

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
PACKAGES = {
    "dovecot": "dovecot-imapd dovecot-lmtpd",
    "exim4": "exim4-daemon-light",
    "mutt": "mutt",
    "s-nail": "s-nail",
    "swaks": "swaks",
}
"""What is needed, and the packages of Debian that have it."""


def missing() -> list[str]:
    """Return the packages that are not installed."""
    return [packages for name, packages in PACKAGES.items() if not shutil.which(name, path=PATH)]


def program(name: str) -> str:
    """Return the path of a program that is installed."""
    found = shutil.which(name, path=PATH)
    assert found, "it was looked for before"
    return found


class MailServer(Server):
    """A server that writes its configuration and runs as an ordinary user."""

    def __init__(self) -> None:
        super().__init__()
        as_root = os.geteuid() == 0
        self.user = "nobody" if as_root else pwd.getpwuid(os.geteuid()).pw_name
        self.group = "nogroup" if as_root else grp.getgrgid(os.getegid()).gr_name
        self.configuration = self.folder / "configuration"

    def _run(self, log: int, *arguments: str) -> subprocess.Popen[bytes]:
        as_user: dict[str, Any] = {}
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user, self.group)
            as_user = {"user": self.user, "group": self.group, "extra_groups": []}
        self.folder.chmod(0o755)
        return subprocess.Popen(arguments, stdout=log, stderr=log, cwd="/", **as_user)


class Dovecot(MailServer):
    """Keeps mailboxes: they are filled by LMTP and read by IMAP. Anybody who asks has one."""

    name = "dovecot"

    def __init__(self) -> None:
        super().__init__()
        self.lmtp_port = free_port()

    def mailbox(self, user: str) -> MailBoxUnencrypted:
        """Return somebody's mailbox, open."""
        mailbox = MailBoxUnencrypted("127.0.0.1", self.port, timeout=30)
        mailbox.login(user, PASSWORD)
        return mailbox

    def url(self, user: str) -> str:
        """Return the address of somebody's mailbox, as mail programs and our settings have it."""
        return f"imap://{user}:{PASSWORD}@127.0.0.1:{self.port}/INBOX"

    def _popen(self, log: int) -> subprocess.Popen[bytes]:
        self.configuration.write_text(self._settings())
        return self._run(log, program("dovecot"), "-F", "-c", str(self.configuration))

    def _answers(self) -> None:
        imaplib.IMAP4("127.0.0.1", self.port, timeout=5).logout()
        smtplib.LMTP("127.0.0.1", self.lmtp_port, timeout=5).quit()

    def _settings(self) -> str:
        mail = f"{self.folder}/mail/%n"
        return f"""
base_dir = {self.folder}/run
state_dir = {self.folder}/state
log_path = /dev/stderr
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = {self.user}
default_internal_group = {self.group}
default_login_user = {self.user}
first_valid_uid = 1
mail_location = maildir:{mail}
recipient_delimiter = +
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={self.user} gid={self.group} home={mail} allow_all_users=yes
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {self.port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    port = {self.lmtp_port}
  }}
}}
"""


class Exim(MailServer):
    """Takes mails by SMTP, and passes them on by LMTP: to Dovecot, and some of ours to us."""

    name = "exim"

    def __init__(self, mailboxes: int, service: int, handed_over: Collection[str]) -> None:
        """``mailboxes`` and ``service`` are the ports of Dovecot and of our listener.

        ``handed_over`` are the senders whose mails to us go there; others' go to our mailbox.
        """
        super().__init__()
        self._mailboxes = mailboxes
        self._service = service
        self._handed_over = handed_over

    @property
    def url(self) -> str:
        """The address in the form of ``EMAIL_URL``."""
        return f"smtp://127.0.0.1:{self.port}"

    def _popen(self, log: int) -> subprocess.Popen[bytes]:
        self.configuration.write_text(self._settings())
        often = "-q1s"  # looks again for mails that could not be passed on
        return self._run(log, program("exim4"), "-C", str(self.configuration), "-bdf", often)

    def _answers(self) -> None:
        smtplib.SMTP("127.0.0.1", self.port, timeout=5).quit()

    def _settings(self) -> str:
        return f"""
primary_hostname = mx.{SERVICE}
spool_directory = {self.folder}/spool
log_file_path = {self.folder}/%slog
pid_file_path = {self.folder}/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = {self.port}
exim_user = {self.user}
exim_group = {self.group}
trusted_users = {self.user}
never_users =
host_lookup =
tls_advertise_hosts =
keep_environment =
acl_smtp_rcpt = ours
acl_smtp_data = accept
begin acl
ours:
  accept domains = {SERVICE} : {PLAYERS}
  deny message = nothing is relayed
begin routers
service:
  driver = manualroute
  domains = {SERVICE}
  senders = {" : ".join(self._handed_over)}
  route_list = * 127.0.0.1
  self = send
  transport = service
mailboxes:
  driver = manualroute
  domains = {SERVICE} : {PLAYERS}
  route_list = * 127.0.0.1
  self = send
  transport = mailboxes
begin transports
service:
  driver = smtp
  protocol = lmtp
  port = {self._service}
  allow_localhost
mailboxes:
  driver = smtp
  protocol = lmtp
  port = {self._mailboxes}
  allow_localhost
begin retry
* * F,1h,1s
"""


def folder_for(server: MailServer, name: str) -> Path:
    """Return a new folder beside a server's, for a mail program."""
    folder = server.folder / name
    folder.mkdir()
    return folder
