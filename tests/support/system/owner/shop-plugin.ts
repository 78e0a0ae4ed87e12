/**
 * A shop with WooCommerce's behaviour towards caches: its cookies (WC_Session_Handler,
 * WC_Cart_Session), its pages, a session on the server, and a basket on every page. Only pages with
 * names of their own forbid storing: the server has to know those with WooCommerce's names. It also
 * allows SVG files, as other plugins do, and makes files in all the ways of plugins.
 */
export const SHOP = `<?php
/* Plugin Name: Test shop */

const SHOP_PAGES = ['lamp' => 'product', 'cart' => 'cart', 'warenkorb' => 'cart', 'checkout' => 'checkout',
  'my-account' => 'account', 'angebot' => 'quote', 'echo' => 'echo'];

add_filter('upload_mimes', fn($types) => $types + ['svg' => 'image/svg+xml']);

register_activation_hook(__FILE__, function () {
  foreach (SHOP_PAGES as $slug => $kind) {
    wp_insert_post(['post_type' => 'page', 'post_status' => 'publish', 'post_name' => $slug,
      'post_title' => ucfirst($slug), 'post_content' => "[shop_$kind]"]);
  }
  add_rewrite_endpoint('order-received', EP_PAGES);
  flush_rewrite_rules();
});

function shop_cookie(): string { return 'wp_woocommerce_session_' . COOKIEHASH; }
function shop_session(): array {
  $id = strtok($_COOKIE[shop_cookie()] ?? '', '|');
  return $id ? (get_option("shop_session_$id") ?: []) : [];
}
function shop_remember(array $values): void {
  $id = strtok($_COOKIE[shop_cookie()] ?? '', '|') ?: 't_' . bin2hex(random_bytes(15));
  update_option("shop_session_$id", $values + shop_session(), false);
  $_COOKIE[shop_cookie()] = "$id|0|0|x";
  setcookie(shop_cookie(), "$id|0|0|x", ['path' => '/', 'httponly' => true]);
}
function shop_go(string $path): never { wp_safe_redirect(home_url($path)); exit; }

add_action('init', function () {
  add_rewrite_endpoint('order-received', EP_PAGES);
  if (isset($_POST['shop_add'])) {
    shop_remember(['name' => sanitize_text_field($_POST['shop_add']), 'items' => 1]);
    setcookie('woocommerce_items_in_cart', '1', ['path' => '/']);
    setcookie('woocommerce_cart_hash', md5($_POST['shop_add']), ['path' => '/']);
    shop_go('/cart/');
  }
  if (isset($_POST['shop_order'])) {
    $name = shop_session()['name'];
    $user = wp_insert_user(['user_login' => strtolower($name), 'user_pass' => wp_generate_password(), 'display_name' => $name,
      'user_email' => strtolower($name) . '@example.test', 'role' => 'subscriber']);
    wp_set_auth_cookie($user);
    shop_remember(['order' => "order of $name"]);
    foreach (['woocommerce_items_in_cart', 'woocommerce_cart_hash'] as $cookie) setcookie($cookie, '', ['path' => '/', 'expires' => 1]);
    shop_go('/checkout/order-received/7/');
  }
  if (str_starts_with($_SERVER['REQUEST_URI'], '/angebot/')) session_start();
});

add_action('template_redirect', function () { if (is_page('warenkorb')) nocache_headers(); });

function shop_form(string $field, string $label): string {
  return "<form method='post'><input name='$field' aria-label='$field' value='1'><button>$label</button></form>";
}
add_shortcode('shop_product', fn() => '<p>A lamp</p>' . shop_form('shop_add', 'Add to basket'));
add_shortcode('shop_cart', fn() => '<p>In the basket of ' . esc_html(shop_session()['name'] ?? 'nobody') . '</p>');
add_shortcode('shop_checkout', fn() => '<p>' . esc_html((get_query_var('order-received') ? 'Thanks for the ' . (shop_session()['order'] ?? '') :
  'To be paid by ' . (shop_session()['name'] ?? 'nobody'))) . '</p>' . shop_form('shop_order', 'Place order'));
add_shortcode('shop_account', fn() => '<p>Account of ' . esc_html(wp_get_current_user()->display_name ?: 'nobody') . '</p>');
add_shortcode('shop_quote', function () {
  if (isset($_POST['shop_quote'])) $_SESSION['name'] = sanitize_text_field($_POST['shop_quote']);
  return '<p>Offer for ' . esc_html($_SESSION['name'] ?? 'nobody') . '</p>' . shop_form('shop_quote', 'Ask');
});
add_shortcode('shop_echo', fn() => '<p>Asked by ' . esc_html("$_SERVER[REQUEST_METHOD] $_SERVER[REQUEST_URI] (" . http_build_query($_GET) . ')') . '</p>');
add_action('wp_footer', function () {
  if (shop_session()) echo '<p>Basket of ' . esc_html(shop_session()['name']) . '</p>';
});

add_action('init', function () {
  if (($_GET['shop_make'] ?? '') !== '1') return;
  $made = [];
  $put = function (string $name, callable $make) use (&$made) {
    $path = WP_CONTENT_DIR . "/$name";
    $make($path);
    $made[] = "/wp-content/$name";
  };
  $put('uploads/plain.txt', fn($path) => file_put_contents($path, 'plain'));
  // A folder that has lost what it took over from the one above.
  $put('uploads/tight/in.css', function ($path) { mkdir(dirname($path)); chmod(dirname($path), 0750); file_put_contents($path, 'in'); });
  $put('uploads/tight/deep/er.css', function ($path) { wp_mkdir_p(dirname($path)); file_put_contents($path, 'er'); });
  $put('uploads/moved.txt', function ($path) { $draft = tempnam(get_temp_dir(), 'x'); file_put_contents($draft, 'moved'); chmod($draft, 0640); rename($draft, $path); });
  $put('uploads/system.txt', function ($path) { require_once ABSPATH . 'wp-admin/includes/file.php'; WP_Filesystem();
    $GLOBALS['wp_filesystem']->put_contents($path, 'system', FS_CHMOD_FILE); });
  $put('cache/css/one.css', function ($path) { mkdir(dirname($path), 0755, true); file_put_contents($path, 'one'); });
  wp_send_json($made);
});
`
