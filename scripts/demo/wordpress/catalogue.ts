/** `file` as WordPress names the plugin; versions from the oldest in use to the newest. */
export interface Offer {
  file: string
  name: string
  versions: readonly [string, ...string[]]
}

/** The newest is the one in the fleet's cache. */
export const CORES = ['6.8.3', '6.9.2', '7.0.3', '7.1', '7.1.1'] as const
export const NEWEST_CORE = '7.1.1'

export const PLUGINS: readonly Offer[] = [
  { file: 'akismet/akismet.php', name: 'Akismet Anti-spam', versions: ['5.4', '5.5', '5.6'] },
  { file: 'hello.php', name: 'Hello Dolly', versions: ['1.7.2'] },
  {
    file: 'woocommerce/woocommerce.php',
    name: 'WooCommerce',
    versions: ['10.1.2', '10.3.0', '10.4.1'],
  },
  { file: 'wordpress-seo/wp-seo.php', name: 'Yoast SEO', versions: ['26.1', '26.4', '26.5'] },
  {
    file: 'contact-form-7/wp-contact-form-7.php',
    name: 'Contact Form 7',
    versions: ['6.0.6', '6.1.3', '6.1.4'],
  },
  { file: 'elementor/elementor.php', name: 'Elementor', versions: ['3.31.2', '3.33.0', '3.33.2'] },
  { file: 'wordfence/wordfence.php', name: 'Wordfence Security', versions: ['8.0.5', '8.1.0'] },
  {
    file: 'updraftplus/updraftplus.php',
    name: 'UpdraftPlus',
    versions: ['1.25.6', '1.25.8', '1.25.9'],
  },
  {
    file: 'advanced-custom-fields/acf.php',
    name: 'Advanced Custom Fields',
    versions: ['6.4.2', '6.6.0', '6.6.2'],
  },
  { file: 'redirection/redirection.php', name: 'Redirection', versions: ['5.5.2'] },
  { file: 'wpforms-lite/wpforms.php', name: 'WPForms Lite', versions: ['1.9.6', '1.9.8.2'] },
  { file: 'classic-editor/classic-editor.php', name: 'Classic Editor', versions: ['1.6.7'] },
  { file: 'autoptimize/autoptimize.php', name: 'Autoptimize', versions: ['3.1.12', '3.1.14'] },
  { file: 'polylang/polylang.php', name: 'Polylang', versions: ['3.7.3', '3.7.5'] },
]

export const THEMES: readonly Offer[] = [
  { file: 'twentytwentyfive', name: 'Twenty Twenty-Five', versions: ['1.3', '1.4'] },
  { file: 'twentytwentyfour', name: 'Twenty Twenty-Four', versions: ['1.3', '1.4'] },
  { file: 'astra', name: 'Astra', versions: ['4.11.9', '4.11.15'] },
  { file: 'generatepress', name: 'GeneratePress', versions: ['3.6.0', '3.6.1'] },
  { file: 'storefront', name: 'Storefront', versions: ['4.6.1'] },
]
