interface KnownPlugin {
  name: string
  /** Their folders: of the plugin, of its paid form, and of others that have such options too. */
  slugs: readonly string[]
  /** How the names of its options begin, and those of no plugin in another folder. */
  prefixes: readonly string[]
}

const known = (name: string, slugs: string, prefixes: string): KnownPlugin => ({
  name,
  slugs: slugs.split(' '),
  prefixes: prefixes.split(' '),
})

/**
 * Plugins that are used a lot, and whose options are told apart by their names. Not Jetpack, Advanced
 * Custom Fields, BuddyPress and UpdraftPlus: too many others share their code, and its options.
 */
export const KNOWN_PLUGINS: readonly KnownPlugin[] = [
  known(
    'All in One SEO',
    'all-in-one-seo-pack all-in-one-seo-pack-pro broken-link-checker-seo',
    'aioseo_ aioseop_',
  ),
  known('Autoptimize', 'autoptimize', 'autoptimize_'),
  known('bbPress', 'bbpress buddyboss-platform', '_bbp_'),
  known('Contact Form 7', 'contact-form-7', 'wpcf7'),
  known('Duplicator', 'duplicator duplicator-pro', 'duplicator_'),
  known(
    'Elementor',
    'elementor elementor-pro image-optimization pojo-accessibility site-mailer cookiez send-app angie',
    'elementor_ _elementor_',
  ),
  known('Gravity Forms', 'gravityforms gravitysmtp', 'gform_ rg_gforms_'),
  known('LearnDash', 'sfwd-lms learndash-hub', 'learndash_'),
  known('LiteSpeed Cache', 'litespeed-cache', 'litespeed.'),
  known(
    'MonsterInsights',
    'google-analytics-for-wordpress google-analytics-premium',
    'monsterinsights_',
  ),
  known('Ninja Forms', 'ninja-forms', 'ninja_forms_ nf_form_'),
  known('Polylang', 'polylang polylang-pro', 'polylang'),
  known(
    'Rank Math',
    'seo-by-rank-math seo-by-rank-math-pro fast-indexing-api',
    'rank_math_ rank-math-',
  ),
  known('Redirection', 'redirection', 'redirection_options redirection_version'),
  known('Slider Revolution', 'revslider essential-grid', 'revslider'),
  known('Solid Security', 'better-wp-security ithemes-security-pro', 'itsec'),
  known(
    'The Events Calendar',
    'the-events-calendar event-tickets events-calendar-pro event-tickets-plus advanced-post-manager',
    'tribe_',
  ),
  known('W3 Total Cache', 'w3-total-cache', 'w3tc_'),
  known('WooCommerce', 'woocommerce', 'woocommerce_'),
  known('Wordfence', 'wordfence wordfence-login-security wordfence-assistant', 'wordfence_'),
  known('WP Rocket', 'wp-rocket', 'wp_rocket_'),
  known('WPForms', 'wpforms wpforms-lite', 'wpforms_'),
  known('WPML', 'sitepress-multilingual-cms', 'icl_sitepress_'),
  known('Yoast SEO', 'wordpress-seo wordpress-seo-premium wpseo', 'wpseo'),
]
