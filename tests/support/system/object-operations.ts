/** Calls of the object cache of WordPress, and their answers: with and without a drop-in the same. */
export const OPERATIONS = String.raw`<?php
// Each call and its answer; the same for every object cache.
$o = new stdClass; $o->a = [1, 'x' => null];
$did = [];
$do = function ($name, ...$args) use (&$did) { $did[] = [$name, $args[0] ?? null, $name(...$args)]; };
$do('wp_cache_flush');
foreach ([1, -3, 0, '12', 'text', '', 1.5, true, false, null, [], ['a' => ['b' => null]], $o] as $at => $value) {
  $do('wp_cache_set', "k$at", $value, 'g');
  $do('wp_cache_get', "k$at", 'g');
  $do('wp_cache_get', "k$at", 'g', true);
  $found = null; wp_cache_get("k$at", 'g', true, $found); $did[] = $found;
  $do('wp_cache_add', "k$at", 'again', 'g');
  $do('wp_cache_replace', "k$at", $value, 'g', 60);
  $do('wp_cache_incr', "k$at", 2, 'g');
  $do('wp_cache_get', "k$at", 'g', true);
  $do('wp_cache_decr', "k$at", 100, 'g');
  $do('wp_cache_delete', "k$at", 'g');
  $do('wp_cache_delete', "k$at", 'g');
  $do('wp_cache_get', "k$at", 'g');
}
$do('wp_cache_add', 'new', 5, 'g'); $do('wp_cache_incr', 'new', 3, 'g'); $do('wp_cache_decr', 'none', 1, 'g');
$do('wp_cache_replace', 'none', 1, 'g'); $do('wp_cache_get', 'none');
foreach (['', ' ', 0, '0', 7] as $key) { $do('wp_cache_set', $key, 'v'); $do('wp_cache_get', $key); $do('wp_cache_get', $key, ''); }
$do('wp_cache_set_multiple', ['a' => 1, 'b' => 'two', 3 => [3]], 'm');
$do('wp_cache_get_multiple', ['a', 'b', 3, 'c'], 'm'); $do('wp_cache_get_multiple', ['a', 'b', 3, 'c'], 'm', true);
$do('wp_cache_add_multiple', ['a' => 9, 'z' => 26], 'm'); $do('wp_cache_delete_multiple', ['b', 'y'], 'm');
$do('wp_cache_get_multiple', ['a', 'b', 'z'], 'm', true);
$do('wp_cache_set', 'x:y', 1, 'a'); $do('wp_cache_set', 'y', 2, 'a:x'); $do('wp_cache_get', 'x:y', 'a', true); $do('wp_cache_get', 'y', 'a:x', true);
$do('wp_cache_set', 'p', 1, 'a*'); $do('wp_cache_flush_group', 'a*'); $do('wp_cache_get', 'p', 'a*'); $do('wp_cache_get', 'x:y', 'a', true);
wp_cache_add_non_persistent_groups(['temp']); $do('wp_cache_set', 't', $o, 'temp'); $do('wp_cache_get', 't', 'temp', true); $do('wp_cache_incr', 't', 1, 'temp');
$do('wp_cache_replace', 'u', 1, 'temp'); $do('wp_cache_add', 'u', 1, 'temp'); $do('wp_cache_delete', 'u', 'temp'); $do('wp_cache_flush_group', 'temp'); $do('wp_cache_get', 't', 'temp');
$o->a = 'changed'; wp_cache_set('o', $o, 'g'); $o->a = 'later'; $do('wp_cache_get', 'o', 'g'); wp_cache_get('o', 'g')->a = 'by a reader'; $do('wp_cache_get', 'o', 'g');
wp_suspend_cache_addition(true); $do('wp_cache_add', 's', 1); $do('wp_cache_add_multiple', ['s' => 1]); wp_suspend_cache_addition(false);
foreach (['add_multiple', 'get_multiple', 'flush_group', 'flush_runtime', 'other'] as $what) $do('wp_cache_supports', $what);
$do('wp_cache_close'); $do('wp_cache_flush'); $do('wp_cache_get', 'a', 'm');
echo json_encode($did, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
`
