/**
 * Arguments with which newsletters and advertisements count clicks: scripts in the browser read
 * them, and no page depends on them. Names as regular expressions (PCRE).
 */
const TRACKING = [
  'utm_[a-z_]+',
  'gclid|gclsrc|gbraid|wbraid|dclid|gad_source|gad_campaignid|srsltid|_ga|_gl',
  'fbclid|igshid|igsh|msclkid|ttclid|twclid|yclid|ysclid|li_fat_id|epik|rdt_cid|ScCid',
  'mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|_ke|_kx|vero_id|s_kwcid|ef_id',
  '(?:mtm|pk)_(?:campaign|kwd|keyword|source|medium|content|cid|group|placement)',
].join('|')

const TRACKING_ONLY = `(?:(?:${TRACKING})(?:=[^&]*)?(?:&|$))*$`

/** Path components that are never stored, also below a folder or a language; also `cart-2`. */
const DYNAMIC = [
  ...['wp-admin', 'wp-login', 'wp-cron', 'wp-json', 'wp-signup', 'wp-activate', 'xmlrpc'],
  ...['cart', 'basket', 'checkout', 'my-account', 'order-pay', 'order-received', 'wc-api'],
].join('|')

/**
 * Parts of the names of cookies that identify visitors: of WordPress, shops, sessions, carts and
 * logins. Names with the prefixes of tracking scripts do not count, since every visitor has them:
 * `sbjs_session` is of WooCommerce's order attribution.
 */
const PERSONAL = [
  'wordpress|wp-postpass|wp-settings|comment_author|woocommerce|edd_',
  'sess(?:ion|id)|cart|basket|currency|auth|token',
].join('|')
const OF_SCRIPTS = '\\s|_(?!_Host-|_Secure-)|sbjs_|intercom-'

/**
 * Maps of the http block for the page caches of all sites. `$hosting_skip_…` is 1 if the cache is
 * neither read nor written. `$hosting_asked_uri` and `$hosting_asked_query` are both what PHP
 * receives and the key of a page, so that PHP never sees an argument that is not part of the key of
 * a stored page, and cannot write it into a page for others.
 */
export function renderCacheRules(): string {
  return `# The page cache is for anonymous visitors of plain addresses: 1 skips it. The first match decides.
# An address that is written in another way than browsers and WordPress do is not looked at closer.
map $request_uri $hosting_skip_uri {
    default 1;
    "~*^/(?:[^?]*/)?(?:${DYNAMIC})(?:[-/.?]|$)" 1;
    "~*^[^?]*(?:/feed|sitemap[^/?]*\\.x[ms]l)" 1;
    "~*^[^?]*(?://|/\\.|%[2-7][0-9a-f])" 1;
    "~^/[^?]*(?:\\?${TRACKING_ONLY}|$)" 0;
}
map $http_cookie $hosting_skip_cookie {
    default 0;
    "~*(?:^|;\\s*)(?!${OF_SCRIPTS})[^=;]*(?:${PERSONAL})[^=;]*=" 1;
}
map $http_authorization $hosting_skip_authorization {
    default 1;
    "" 0;
}
map $request_uri $hosting_path {
    "~^(?<hosting_found>[^?]*)" $hosting_found;
}
map "$request_method $hosting_skip_uri$hosting_skip_cookie$hosting_skip_authorization" $hosting_stored {
    default "";
    "GET 000" 1;
    "HEAD 000" 1;
}
map $hosting_stored $hosting_asked_uri {
    default $request_uri;
    1 $hosting_path;
}
map $hosting_stored $hosting_asked_query {
    default $query_string;
    1 "";
}
`
}
