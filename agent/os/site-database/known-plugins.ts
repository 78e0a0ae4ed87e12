interface KnownPlugin {
  name: string
  /** Their folders: of the plugin, and of its paid form. */
  slugs: readonly string[]
  /** How the names of its options begin, and those of no other plugin. */
  prefixes: readonly string[]
}

const known = (name: string, slugs: string, prefixes: string): KnownPlugin => ({
  name,
  slugs: slugs.split(' '),
  prefixes: prefixes.split(' '),
})

/** Plugins that are used a lot, and whose options are told apart by their names. */
export const KNOWN_PLUGINS: readonly KnownPlugin[] = [
  known('Advanced Custom Fields', 'advanced-custom-fields advanced-custom-fields-pro', 'acf_'),
  known('All in One SEO', 'all-in-one-seo-pack all-in-one-seo-pack-pro', 'aioseo_ aioseop_'),
  known('Autoptimize', 'autoptimize', 'autoptimize_'),
  known('bbPress', 'bbpress', '_bbp_'),
  known('BuddyPress', 'buddypress', 'bp-'),
  known('Contact Form 7', 'contact-form-7', 'wpcf7'),
  known('Duplicator', 'duplicator duplicator-pro', 'duplicator_'),
  known('Elementor', 'elementor elementor-pro', 'elementor_ _elementor_'),
  known('Gravity Forms', 'gravityforms', 'gform_ rg_gforms_ gf_'),
  known('Jetpack', 'jetpack', 'jetpack_'),
  known('LearnDash', 'sfwd-lms', 'learndash_'),
  known('LiteSpeed Cache', 'litespeed-cache', 'litespeed.'),
  known('MailPoet', 'mailpoet', 'mailpoet_'),
  known(
    'MonsterInsights',
    'google-analytics-for-wordpress google-analytics-premium',
    'monsterinsights_',
  ),
  known('Ninja Forms', 'ninja-forms', 'ninja_forms_ nf_form_'),
  known('Polylang', 'polylang polylang-pro', 'polylang'),
  known('Rank Math', 'seo-by-rank-math seo-by-rank-math-pro', 'rank_math_ rank-math-'),
  known('Redirection', 'redirection', 'redirection_'),
  known('Slider Revolution', 'revslider', 'revslider'),
  known('Solid Security', 'better-wp-security ithemes-security-pro', 'itsec'),
  known('The Events Calendar', 'the-events-calendar', 'tribe_'),
  known('UpdraftPlus', 'updraftplus', 'updraft_ updraftplus_'),
  known('W3 Total Cache', 'w3-total-cache', 'w3tc_'),
  known('WooCommerce', 'woocommerce', 'woocommerce_'),
  known('Wordfence', 'wordfence', 'wordfence_'),
  known('WP Rocket', 'wp-rocket', 'wp_rocket_'),
  known('WPForms', 'wpforms wpforms-lite', 'wpforms_'),
  known('WPML', 'sitepress-multilingual-cms', 'icl_ wpml_'),
  known('Yoast SEO', 'wordpress-seo wordpress-seo-premium', 'wpseo'),
]
