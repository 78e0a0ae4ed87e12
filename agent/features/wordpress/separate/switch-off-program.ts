import { GATEWAY_OPTIONS, HARMLESS_GATEWAYS, SETTING_CHANGES } from './setting-changes.ts'

const ORDER = {
  switches: SETTING_CHANGES,
  gateways: GATEWAY_OPTIONS,
  harmless: HARMLESS_GATEWAYS,
}

/**
 * Returns a program that changes the known options in place, and prints a line for each. No class
 * of a value is instantiated, and values that are not arrays where one is expected stay as they
 * are.
 */
export const switchOffProgram = (): string => `<?php
$order = json_decode(base64_decode('${Buffer.from(JSON.stringify(ORDER)).toString('base64')}'), true);
${PROGRAM}`

const PROGRAM = String.raw`
global $wpdb;
$apply = function () use ($order, $wpdb) {
  $rows = function ($where, ...$values) use ($wpdb) {
    $sql = "SELECT option_name, option_value FROM $wpdb->options WHERE option_name $where";
    return $wpdb->get_results($wpdb->prepare($sql, ...$values), ARRAY_N);
  };
  $read = fn($text) => @unserialize($text, ['allowed_classes' => false]);
  $save = function ($name, $value) use ($wpdb) {
    $text = is_array($value) ? serialize($value) : $value;
    $wpdb->update($wpdb->options, ['option_value' => $text], ['option_name' => $name]);
    wp_cache_delete($name, 'options');
  };
  // Null: nothing to change.
  $changed = function ($value, $path, $new) use (&$changed) {
    $key = array_shift($path);
    if ($key === null) return $new;
    if (!is_array($value) || !array_key_exists($key, $value)) return null;
    if ($path) {
      $inner = $changed($value[$key], $path, $new);
      return $inner === null ? null : array_replace($value, [$key => $inner]);
    }
    if ($value[$key] === $new) return null;
    if ($new === null) return array_diff_key($value, [$key => true]);
    return array_replace($value, [$key => $new]);
  };
  foreach ($order['switches'] as ['option' => $name, 'path' => $path, 'value' => $new, 'what' => $what]) {
    [[, $text]] = $rows('= %s', $name) ?: [[null, null]];
    if ($text === null || ($path === [] && $text === $new)) continue;
    $value = $changed($path ? $read($text) : $text, $path, $new);
    if ($value === null) continue;
    $save($name, $value);
    echo $what, "\n";
  }
  foreach ($rows('LIKE %s', $order['gateways']) as [$name, $text]) {
    $value = $read($text);
    if (!is_array($value) || ($value['enabled'] ?? '') !== 'yes') continue;
    // Mails and shipping methods have the same names of options.
    if (array_intersect(['email_type', 'heading', 'recipient', 'tax_status', 'cost'], array_keys($value))) continue;
    $id = preg_replace('/^woocommerce_(.*)_settings$/', '$1', $name);
    if (in_array($id, $order['harmless'], true)) continue;
    $save($name, array_replace($value, ['enabled' => 'no']));
    echo 'payment method ', preg_replace('/[^\w-]/', '?', $id), "\n";
  }
  $table = $wpdb->prefix . 'wc_webhooks';
  if ($wpdb->get_var($wpdb->prepare('SHOW TABLES LIKE %s', $wpdb->esc_like($table))) === $table) {
    $count = $wpdb->query("UPDATE $table SET status = 'paused' WHERE status = 'active'");
    if ($count > 0) echo "webhooks of WooCommerce\n";
  }
  wp_cache_delete('alloptions', 'options');
};
$sites = is_multisite() ? get_sites(['fields' => 'ids', 'number' => 500]) : [null];
foreach ($sites as $id) {
  if ($id !== null) switch_to_blog($id);
  $apply();
  if ($id !== null) restore_current_blog();
}
`
