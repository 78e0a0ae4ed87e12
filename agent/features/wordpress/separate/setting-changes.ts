/** A setting in an option of WordPress that a staging site changes. */
export interface SettingChange {
  option: string
  /** The keys of an array, from the outside in; empty for the option itself. */
  path: readonly string[]
  /** The new value of the setting; null when it is removed. */
  value: string | boolean | null
  /** The name of the setting in the log. */
  what: string
}

const settingChange = (
  option: string,
  path: string,
  value: SettingChange['value'],
  what: string,
): SettingChange => ({
  option,
  value,
  what,
  path: path === '' ? [] : path.split('.'),
})

/** The test modes of payment plugins, with keys of their own, in which no money moves. */
const PAYMENTS = [
  settingChange('woocommerce_stripe_settings', 'testmode', 'yes', 'Stripe'),
  settingChange('woocommerce_woocommerce_payments_settings', 'test_mode', 'yes', 'WooPayments'),
  settingChange('woocommerce_paypal_settings', 'testmode', 'yes', 'PayPal Standard'),
  settingChange('woocommerce-ppcp-settings', 'sandbox_on', true, 'PayPal Payments'),
  settingChange('wc_square_settings', 'enable_sandbox', 'yes', 'Square'),
  settingChange('mollie-payments-for-woocommerce_test_mode_enabled', '', 'yes', 'Mollie'),
  settingChange('edd_settings', 'test_mode', '1', 'Easy Digital Downloads'),
  settingChange('give_settings', 'test_mode', 'enabled', 'GiveWP'),
  settingChange('wpforms_settings', 'stripe-test-mode', true, 'WPForms Stripe'),
  settingChange(
    'gravityformsaddon_gravityformsstripe_settings',
    'api_mode',
    'test',
    'Gravity Forms Stripe',
  ),
  settingChange('pmpro_gateway_environment', '', 'sandbox', 'Paid Memberships Pro'),
  settingChange('rcp_settings', 'sandbox', '1', 'Restrict Content Pro'),
]

/** Plugins for SMTP and mail services; they then use PHP's mail(), which staging keeps. */
const MAIL = [
  settingChange('wp_mail_smtp', 'mail.mailer', 'mail', 'WP Mail SMTP'),
  settingChange('easy_wp_smtp', 'mail.mailer', 'mail', 'Easy WP SMTP'),
  settingChange('postman_options', 'transport_type', 'default', 'Post SMTP'),
  settingChange('fluentmail-settings', 'misc.simulate_emails', 'yes', 'FluentSMTP'),
]

/** Accounts that exist once: a second site with their keys disturbs the live one. */
const ACCOUNTS = [
  settingChange('jetpack_private_options', 'blog_token', null, 'Jetpack'),
  settingChange('jetpack_private_options', 'user_tokens', null, 'Jetpack users'),
  settingChange('jetpack_options', 'blog_token', null, 'Jetpack, before 2021'),
  settingChange('woocommerce_helper_data', 'auth', null, 'WooCommerce.com'),
]

export const SETTING_CHANGES: readonly SettingChange[] = [
  settingChange('blog_public', '', '0', 'search engines'),
  ...PAYMENTS,
  ...MAIL,
  ...ACCOUNTS,
]

/** The payment methods that stay on: they take no money, and a shop can be tried. */
export const HARMLESS_GATEWAYS = ['bacs', 'cheque', 'cod']

/** The settings of payment methods, shipping and mails of WooCommerce. */
export const GATEWAY_OPTIONS = 'woocommerce\\_%\\_settings'
