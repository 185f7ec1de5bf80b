"""The addresses of the pages about players."""

from django.urls import path

from dewan_site.accounts import views

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/sent/", views.sign_in_sent, name="sign_in_sent"),
    path("sign-in/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("welcome/", views.welcome, name="welcome"),
    path("me/", views.me, name="me"),
    path("me/address/", views.change_address, name="change_address"),
    path("me/address/<str:token>/", views.address_link, name="address_link"),
    path("me/rests/", views.change_rests, name="change_rests"),
    path("me/vacations/", views.book_vacation, name="book_vacation"),
    path("me/vacations/cancel/", views.cancel_vacation, name="cancel_vacation"),
    path("me/reminders/", views.change_reminders, name="change_reminders"),
    path("me/mails/", views.set_mails, name="set_mails"),
    path("me/mails/rhythm/", views.change_rhythm, name="change_rhythm"),
    path("me/mails/again/", views.mail_again, name="mail_again"),
    path("me/tokens/", views.new_token, name="new_token"),
    path("me/tokens/<slug:digest>/revoke/", views.revoke_token, name="revoke_token"),
    path("mails/stop/<str:token>/", views.stop_mails, name="stop_mails"),
]
