"""The addresses of the local mailbox."""

from django.urls import path

from notifications import mailbox_views

urlpatterns = [
    path("", mailbox_views.mailbox, name="mailbox"),
    path("<int:number>/", mailbox_views.letter, name="letter"),
    path("<int:number>/answer/", mailbox_views.answer_letter, name="answer_letter"),
    path("<int:number>/html/", mailbox_views.letter_html, name="letter_html"),
    path("<int:number>/raw/", mailbox_views.letter_raw, name="letter_raw"),
]
