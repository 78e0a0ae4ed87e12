import { MARK_LINE } from '#agent/kernel/effects/generated.ts'

/** Services that deliver mail by HTTP, past `sendmail`; plugins for SMTP offer them. */
const MAIL_SERVICES = [
  'api.sendgrid.com',
  'api.eu.sendgrid.com',
  'api.mailgun.net',
  'api.eu.mailgun.net',
  'api.postmarkapp.com',
  'api.brevo.com',
  'api.sendinblue.com',
  'api.smtp.com',
  'api.sparkpost.com',
  'api.eu.sparkpost.com',
  'api.mailjet.com',
  'api.elasticemail.com',
  'mandrillapp.com',
  'api.smtp2go.com',
  'api.mailersend.com',
  'api.resend.com',
  'gmail.googleapis.com',
  'graph.microsoft.com',
  'bridge.mailpoet.com',
]

/** Hosts that take real money. Those for tests have other names. */
const PAYMENT_SERVICES = [
  'api.paypal.com',
  'api-m.paypal.com',
  'api-3t.paypal.com',
  'payflowpro.paypal.com',
  'connect.squareup.com',
  'api.authorize.net',
  'api2.authorize.net',
  'api.klarna.com',
  'api-na.klarna.com',
  'api-oc.klarna.com',
  'api.braintreegateway.com',
  'payments.braintree-api.com',
]

/** Services that distinguish real payments from tests by their key: Stripe, Mollie, Razorpay. */
const LIVE_KEYS = ['(?:Bearer )?(?:sk|rk)_live_', 'Bearer live_', 'rzp_live_']

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')

/**
 * PHP runs this before every program of a staging site. WordPress takes hooks from `$wp_filter`
 * that exist before it (WP_Hook::build_preinitialized_hooks). The functions of PHPMailer's namespace
 * precede those of PHP, so that it reaches no SMTP server. All of this prevents accidents: code of
 * the site can undo it.
 */
export const STAGING_PHP_TEXT = String.raw`<?php
// ${MARK_LINE}
namespace PHPMailer\PHPMailer {
  function stream_socket_client($address, &$code = null, &$message = null, ...$others) {
    [$code, $message] = [111, 'This is a staging site: it connects to no mail server'];
    return false;
  }
  function fsockopen($host, $port = -1, &$code = null, &$message = null, ...$others) {
    return stream_socket_client($host, $code, $message);
  }
}

namespace {
  $GLOBALS['wp_filter'] ??= [];
  (function (&$hooks) {
    $add = function ($name, $function) use (&$hooks) {
      if (!is_array($hooks)) return;
      $hooks[$name][PHP_INT_MAX][] = ['function' => $function, 'accepted_args' => 3];
    };
    // Visits run no jobs.
    if (PHP_SAPI !== 'cli') $add('pre_get_ready_cron_jobs', fn() => []);
    $add('phpmailer_init', function ($mailer) {
      $mailer->isMail();
    });
    $add('pre_http_request', function ($answer, $request = [], $url = '') {
      $host = strtolower((string) parse_url((string) $url, PHP_URL_HOST));
      $is_mail = in_array($host, [${quoted(MAIL_SERVICES)}], true)
        || preg_match('/^email\.[a-z0-9-]+\.amazonaws\.com$/', $host);
      $is_payment = in_array($host, [${quoted(PAYMENT_SERVICES)}], true);
      $headers = array_change_key_case((array) ($request['headers'] ?? []));
      $key = is_string($headers['authorization'] ?? null) ? $headers['authorization'] : '';
      if (preg_match('/^Basic (\S+)/i', $key, $found)) $key = (string) base64_decode($found[1]);
      $has_key = preg_match('/^(?:${LIVE_KEYS.join('|')})/', $key);
      if (!$is_mail && !$is_payment && !$has_key) return $answer;
      return new WP_Error('staging_site', "This is a staging site: it sends nothing to $host");
    });
  })($GLOBALS['wp_filter']);
  defined('JETPACK_STAGING_MODE') || define('JETPACK_STAGING_MODE', true);
}
`
