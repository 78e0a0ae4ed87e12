/** `file` as WordPress names the plugin; versions from the oldest in use to the newest. */
export interface Offer {
  file: string
  name: string
  versions: readonly [string, ...string[]]
}

/** The newest is the one in the fleet's cache. */
export const CORES = ['6.8.3', '6.9.2', '7.0.3', '7.1', '7.1.1'] as const
export const NEWEST_CORE = '7.1.1'

function offer(file: string, name: string, ...versions: Offer['versions']): Offer {
  return { file, name, versions }
}

export const PLUGINS: readonly Offer[] = [
  offer('akismet/akismet.php', 'Akismet Anti-spam', '5.4', '5.5', '5.6'),
  offer('hello.php', 'Hello Dolly', '1.7.2'),
  offer('woocommerce/woocommerce.php', 'WooCommerce', '10.1.2', '10.3.0', '10.4.1'),
  offer('wordpress-seo/wp-seo.php', 'Yoast SEO', '26.1', '26.4', '26.5'),
  offer('contact-form-7/wp-contact-form-7.php', 'Contact Form 7', '6.0.6', '6.1.3', '6.1.4'),
  offer('elementor/elementor.php', 'Elementor', '3.31.2', '3.33.0', '3.33.2'),
  offer('wordfence/wordfence.php', 'Wordfence Security', '8.0.5', '8.1.0'),
  offer('updraftplus/updraftplus.php', 'UpdraftPlus', '1.25.6', '1.25.8', '1.25.9'),
  offer('advanced-custom-fields/acf.php', 'Advanced Custom Fields', '6.4.2', '6.6.0', '6.6.2'),
  offer('redirection/redirection.php', 'Redirection', '5.5.2'),
  offer('wpforms-lite/wpforms.php', 'WPForms Lite', '1.9.6', '1.9.8.2'),
  offer('classic-editor/classic-editor.php', 'Classic Editor', '1.6.7'),
  offer('autoptimize/autoptimize.php', 'Autoptimize', '3.1.12', '3.1.14'),
  offer('polylang/polylang.php', 'Polylang', '3.7.3', '3.7.5'),
]

export const THEMES: readonly Offer[] = [
  offer('twentytwentyfive', 'Twenty Twenty-Five', '1.3', '1.4'),
  offer('twentytwentyfour', 'Twenty Twenty-Four', '1.3', '1.4'),
  offer('astra', 'Astra', '4.11.9', '4.11.15'),
  offer('generatepress', 'GeneratePress', '3.6.0', '3.6.1'),
  offer('storefront', 'Storefront', '4.6.1'),
]
