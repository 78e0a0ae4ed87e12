/** A setting in an option of WordPress that a staging site changes. */
export interface Switch {
  option: string
  /** The keys of an array, from the outside in; empty for the option itself. */
  path: readonly string[]
  /** The new value of the setting; null when it is removed. */
  value: string | boolean | null
  /** The name of the setting in the log. */
  what: string
}

const set = (option: string, path: string, value: Switch['value'], what: string): Switch => ({
  ...{ option, value, what },
  path: path === '' ? [] : path.split('.'),
})

/** Each plugin has a mode for tests, with keys of its own, in which no money moves. */
const PAYMENTS = [
  set('woocommerce_stripe_settings', 'testmode', 'yes', 'Stripe'),
  set('woocommerce_woocommerce_payments_settings', 'test_mode', 'yes', 'WooPayments'),
  set('woocommerce_paypal_settings', 'testmode', 'yes', 'PayPal Standard'),
  set('woocommerce-ppcp-settings', 'sandbox_on', true, 'PayPal Payments'),
  set('wc_square_settings', 'enable_sandbox', 'yes', 'Square'),
  set('mollie-payments-for-woocommerce_test_mode_enabled', '', 'yes', 'Mollie'),
  set('edd_settings', 'test_mode', '1', 'Easy Digital Downloads'),
  set('give_settings', 'test_mode', 'enabled', 'GiveWP'),
  set('wpforms_settings', 'stripe-test-mode', true, 'WPForms Stripe'),
  set('gravityformsaddon_gravityformsstripe_settings', 'api_mode', 'test', 'Gravity Forms Stripe'),
  set('pmpro_gateway_environment', '', 'sandbox', 'Paid Memberships Pro'),
  set('rcp_settings', 'sandbox', '1', 'Restrict Content Pro'),
]

/** Plugins for SMTP and mail services deliver by PHP's mail() instead, which a staging site keeps. */
const MAIL = [
  set('wp_mail_smtp', 'mail.mailer', 'mail', 'WP Mail SMTP'),
  set('easy_wp_smtp', 'mail.mailer', 'mail', 'Easy WP SMTP'),
  set('postman_options', 'transport_type', 'default', 'Post SMTP'),
  set('fluentmail-settings', 'misc.simulate_emails', 'yes', 'FluentSMTP'),
]

/** Accounts that exist once: a second site with the same keys takes them over, or disturbs the live one. */
const ACCOUNTS = [
  set('jetpack_private_options', 'blog_token', null, 'Jetpack'),
  set('jetpack_private_options', 'user_tokens', null, 'Jetpack users'),
  set('jetpack_options', 'blog_token', null, 'Jetpack, before 2021'),
  set('woocommerce_helper_data', 'auth', null, 'WooCommerce.com'),
]

export const SWITCHES: readonly Switch[] = [
  set('blog_public', '', '0', 'search engines'),
  ...PAYMENTS,
  ...MAIL,
  ...ACCOUNTS,
]

/** They take no money, and so a shop can still be tried to the end. */
export const HARMLESS_GATEWAYS = ['bacs', 'cheque', 'cod']

/** Settings of payment methods, shipping and mails of WooCommerce, told apart by their keys. */
export const GATEWAY_OPTIONS = 'woocommerce\\_%\\_settings'
