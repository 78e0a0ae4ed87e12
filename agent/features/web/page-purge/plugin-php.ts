import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { MAX_MESSAGE, MAX_PATHS } from './listener-php.ts'
import { PLUGIN_PHP, SOCKET_IN_PHP } from './paths.ts'

/** The must-use plugin of a site. A copy has no socket, so it does nothing there. */
export const MU_PLUGIN_TEXT = `<?php
/*
Plugin Name: Page cache
Description: Tells the server which pages have changed. It is switched on and off in Hosting Control.
Version: 1.0
*/
// ${MARK_LINE}
defined('ABSPATH') || exit;
if (PHP_VERSION_ID >= 70200 && is_readable('${PLUGIN_PHP}')) {
  require_once '${PLUGIN_PHP}';
}
`

/**
 * Collects the paths of pages that a change shows on, and writes them to the socket of the site at the
 * end of the request. It waits for nothing, and reads nothing.
 */
export const PLUGIN_PHP_TEXT = String.raw`<?php
// ${MARK_LINE}
final class Hosting_Page_Purge {
  private $paths = [];
  private $is_all = false;

  public function watch() {
    add_action('pre_post_update', [$this, 'post']);
    add_action('before_delete_post', [$this, 'post']);
    add_action('transition_post_status', [$this, 'status'], 10, 3);
    add_action('post_updated', [$this, 'post']);
    add_action('wp_insert_comment', [$this, 'comment']);
    add_action('edit_comment', [$this, 'comment']);
    add_action('delete_comment', [$this, 'comment']);
    add_action('transition_comment_status', [$this, 'comment_status'], 10, 3);
    foreach (['woocommerce_product_set_stock', 'woocommerce_variation_set_stock'] as $name) {
      add_action($name, [$this, 'product']);
    }
    add_action('woocommerce_product_set_stock_status', [$this, 'post']);
    $names = ['created_term', 'edited_term', 'delete_term', 'wp_update_nav_menu', 'switch_theme'];
    $names = array_merge($names, ['customize_save_after', 'update_option_sidebars_widgets']);
    $names = array_merge($names, ['update_option_blogname', 'update_option_blogdescription']);
    $names = array_merge($names, ['permalink_structure_changed', 'activated_plugin', 'deactivated_plugin']);
    $names = array_merge($names, ['upgrader_process_complete', 'update_option_page_on_front']);
    foreach ($names as $name) add_action($name, [$this, 'all']);
    add_action('shutdown', [$this, 'send'], PHP_INT_MAX);
  }

  public function all() {
    $this->is_all = true;
  }

  public function status($new, $old, $post) {
    if ($new === 'publish' || $old === 'publish') $this->show($post);
  }

  public function post($id) {
    $post = get_post($id);
    if ($post && $post->post_status === 'publish') $this->show($post);
  }

  public function product($product) {
    $this->post($product->get_parent_id() ?: $product->get_id());
  }

  public function comment($id) {
    $comment = get_comment($id);
    if ($comment && $comment->comment_approved === '1') $this->post($comment->comment_post_ID);
  }

  public function comment_status($new, $old, $comment) {
    if ($new === 'approved' || $old === 'approved') $this->post($comment->comment_post_ID);
  }

  private function show($post) {
    if ($this->is_all || !is_post_type_viewable($post->post_type)) return;
    if ($post->post_status === 'publish') $this->url(get_permalink($post));
    $this->url(home_url('/'), true);
    $posts = (int) get_option('page_for_posts');
    if ($post->post_type === 'post' && $posts > 0) $this->url(get_permalink($posts), true);
    $this->url(get_post_type_archive_link($post->post_type), true);
    $this->url(get_author_posts_url($post->post_author), true);
    $times = explode('-', (string) mysql2date('Y-m-d', $post->post_date));
    if ($post->post_type === 'post' && count($times) === 3) {
      $this->url(get_year_link($times[0]));
      $this->url(get_month_link($times[0], $times[1]));
      $this->url(get_day_link($times[0], $times[1], $times[2]));
    }
    foreach (get_object_taxonomies($post->post_type) as $taxonomy) {
      if (!is_taxonomy_viewable($taxonomy)) continue;
      foreach (get_the_terms($post, $taxonomy) ?: [] as $term) {
        if (is_object($term) && isset($term->term_id)) $this->url(get_term_link($term), true);
      }
    }
  }

  /** With its second page, for lists. Browsers write other characters than ASCII with %C3, WordPress with %c3. */
  private function url($url, $is_list = false) {
    $path = is_string($url) ? (string) parse_url($url, PHP_URL_PATH) : '';
    if (!is_string($url) || $url === '' || parse_url($url, PHP_URL_QUERY)) return;
    $path = $path === '' ? '/' : $path;
    foreach ($is_list ? [$path, rtrim($path, '/') . '/page/2/'] : [$path] as $one) {
      $this->paths[$one] = true;
      $this->paths[preg_replace_callback('/%[0-9a-f]{2}/', function ($found) {
        return strtoupper($found[0]);
      }, $one)] = true;
    }
    if (count($this->paths) > ${MAX_PATHS}) $this->is_all = true;
  }

  public function send() {
    if (!$this->is_all && !$this->paths) return;
    $text = implode("\n", array_keys($this->paths));
    if ($this->is_all || strlen($text) > ${MAX_MESSAGE - 1}) $text = '*';
    [$this->paths, $this->is_all] = [[], false];
    $account = function_exists('posix_getpwuid') ? posix_getpwuid(posix_geteuid()) : false;
    if (!is_array($account)) return;
    $path = ${SOCKET_IN_PHP};
    $socket = @file_exists($path) ? @stream_socket_client("udg://$path", $code, $words, 1) : false;
    if ($socket === false) return;
    stream_set_blocking($socket, false);
    @fwrite($socket, $text);
    fclose($socket);
  }
}

// Since WordPress 5.1.
if (function_exists('is_taxonomy_viewable')) (new Hosting_Page_Purge())->watch();
`
