import { MARK_LINE } from '#agent/kernel/effects/generated.ts'

/**
 * The WP_Object_Cache of WordPress 7.1, over a server that may fail at any time: then it works as
 * the one of WordPress until the end of the request, and empties the server if it missed a change.
 */
export const CACHE_PHP_TEXT = String.raw`<?php
// ${MARK_LINE}
class WP_Object_Cache extends Hosting_Object_Store {
  public $cache_hits = 0;
  public $cache_misses = 0;
  public $global_groups = [];
  public $blog_prefix = '';
  public $cache = [];

  public function __construct() {
    parent::__construct();
    $this->switch_to_blog(function_exists('get_current_blog_id') ? get_current_blog_id() : 1);
  }

  public function add($key, $data, $group = 'default', $expire = 0) {
    return $this->is_valid($key) && $this->add_multiple([$key => $data], $group, $expire)[$key];
  }
  public function add_multiple(array $data, $group = '', $expire = 0) {
    if (wp_suspend_cache_addition()) return array_fill_keys(array_keys($data), false);
    return $this->write('NX', $data, $group, $expire);
  }
  public function replace($key, $data, $group = 'default', $expire = 0) {
    return $this->is_valid($key) && $this->write('XX', [$key => $data], $group, $expire)[$key];
  }
  public function set($key, $data, $group = 'default', $expire = 0) {
    return $this->is_valid($key) && $this->write('', [$key => $data], $group, $expire)[$key];
  }
  public function set_multiple(array $data, $group = '', $expire = 0) {
    return $this->write('', $data, $group, $expire);
  }

  public function get($key, $group = 'default', $force = false, &$found = null) {
    $found = false;
    if (!$this->is_valid($key)) return false;
    return $this->read([$key], $group, $force, $found)[$key];
  }
  public function get_multiple($keys, $group = 'default', $force = false) {
    return $this->read($keys, $group, $force);
  }

  public function delete($key, $group = 'default', $deprecated = false) {
    return $this->is_valid($key) && $this->delete_multiple([$key], $group)[$key];
  }
  public function delete_multiple(array $keys, $group = '') {
    $group = $group ?: 'default';
    $done = $commands = [];
    foreach ($keys as $key) {
      $done[$key] = $this->is_valid($key) && $this->has($this->id($key, $group), $group);
      if (!$this->is_valid($key)) continue;
      unset($this->cache[$group][$this->id($key, $group)]);
      if ($this->is_kept($group)) $commands[$key] = ['UNLINK', $this->name($key, $group)];
    }
    $replies = $this->call(array_values($commands), true) ?? [];
    foreach (array_keys($commands) as $at => $key) {
      if (($replies[$at] ?? 0) > 0) $done[$key] = true;
    }
    return $done;
  }

  public function incr($key, $offset = 1, $group = 'default') {
    return $this->count($key, (int) $offset, $group);
  }
  public function decr($key, $offset = 1, $group = 'default') {
    return $this->count($key, -(int) $offset, $group);
  }

  public function flush() {
    $this->cache = [];
    return $this->call([['FLUSHDB']], true) === ['OK'];
  }
  public function flush_runtime() {
    $this->cache = [];
    return true;
  }
  public function flush_group($group) {
    unset($this->cache[$group]);
    if (!$this->is_kept($group)) return true;
    $pattern = addcslashes($this->prefix($group), '*?[]^-\\') . '*';
    $next = '0';
    do {
      $found = $this->call([['SCAN', $next, 'MATCH', $pattern, 'COUNT', '1000']], true)[0] ?? null;
      if (!is_array($found)) return false;
      [$next, $names] = $found;
      if ($names && $this->call([array_merge(['UNLINK'], $names)], true) === null) return false;
    } while ($next !== '0');
    return true;
  }

  public function add_global_groups($groups) {
    $this->global_groups = array_merge($this->global_groups, array_fill_keys((array) $groups, true));
  }
  public function switch_to_blog($blog_id) {
    $this->blog_prefix = function_exists('is_multisite') && is_multisite() ? (int) $blog_id . ':' : '';
  }

  public function stats() {
    echo "<p><strong>Cache Hits:</strong> {$this->cache_hits}<br />";
    echo "<strong>Cache Misses:</strong> {$this->cache_misses}<br /></p>";
  }

  private function read(array $keys, $group, $force, &$found = null) {
    $group = $group ?: 'default';
    $values = $asked = [];
    foreach ($keys as $key) {
      $values[$key] = false;
      if (!$this->is_valid($key)) continue;
      $id = $this->id($key, $group);
      $is_asked = $this->is_kept($group) && ($force || !$this->has($id, $group));
      if ($is_asked) $asked[$key] = $this->name($key, $group);
      else $values[$key] = $this->seen($id, $group, $found);
    }
    if (!$asked) return $values;
    $replies = $this->call([array_merge(['MGET'], array_values($asked))])[0] ?? [];
    foreach (array_keys($asked) as $at => $key) {
      $id = $this->id($key, $group);
      $is_whole = $this->decode(is_array($replies) ? $replies[$at] ?? null : null, $value);
      if ($is_whole) $this->cache[$group][$id] = $value;
      elseif ($this->server !== null) unset($this->cache[$group][$id]);
      $values[$key] = $this->seen($id, $group, $found);
    }
    return $values;
  }

  private function seen($id, $group, &$found) {
    $found = $this->has($id, $group);
    $found ? $this->cache_hits++ : $this->cache_misses++;
    if (!$found) return false;
    $value = $this->cache[$group][$id];
    return is_object($value) ? clone $value : $value;
  }

  private function write($mode, array $data, $group, $expire) {
    $group = $group ?: 'default';
    $done = $commands = [];
    foreach ($data as $key => $value) {
      $has = $this->is_valid($key) && $this->has($this->id($key, $group), $group);
      $is_refused = $mode === 'NX' ? $has : $mode === 'XX' && !$has && !$this->is_kept($group);
      $done[$key] = $this->is_valid($key) && !$is_refused;
      if ($done[$key] && $this->is_kept($group)) {
        $commands[$key] = $this->storing($mode, $this->name($key, $group), $value, $expire);
      }
    }
    $replies = $this->call(array_values($commands), true);
    foreach (array_keys($commands) as $at => $key) {
      if ($replies === null) $done[$key] = $mode !== 'XX' || $this->has($this->id($key, $group), $group);
      elseif ($replies[$at] === null) $done[$key] = false;
      elseif ($replies[$at] === false) $this->call([['UNLINK', $this->name($key, $group)]], true);
    }
    foreach ($data as $key => $value) {
      if ($done[$key]) $this->cache[$group][$this->id($key, $group)] = is_object($value) ? clone $value : $value;
    }
    return $done;
  }

  /** What cannot be stored must not leave an earlier value there. */
  private function storing($mode, $name, $value, $expire) {
    $text = $this->encode($value);
    if ($text === null) return ['UNLINK', $name];
    $command = ['SET', $name, $text];
    if ($expire > 0) array_push($command, 'EX', $expire);
    if ($mode !== '') $command[] = $mode;
    return $command;
  }

  private function count($key, $offset, $group) {
    $group = $group ?: 'default';
    $value = $this->get($key, $group, true, $found);
    if (!$found) return false;
    $id = $this->id($key, $group);
    if (is_int($value) && $this->is_kept($group)) {
      $reply = $this->call([['INCRBY', $this->name($key, $group), $offset]], true)[0] ?? false;
      if (is_int($reply) && $reply >= 0) return $this->cache[$group][$id] = $reply;
    }
    $value = max(0, (is_numeric($value) ? $value : 0) + $offset);
    $this->cache[$group][$id] = $value;
    if (!$this->is_kept($group)) return $value;
    $this->call([['SET', $this->name($key, $group), $this->encode($value), 'KEEPTTL']], true);
    return $value;
  }

  private function has($id, $group) {
    return isset($this->cache[$group]) && array_key_exists($id, $this->cache[$group]);
  }
  private function id($key, $group) {
    return isset($this->global_groups[$group]) ? $key : $this->blog_prefix . $key;
  }
  private function prefix($group) {
    return strtr($group, ['%' => '%25', ':' => '%3A']) . ':';
  }
  private function name($key, $group) {
    return $this->prefix($group) . $this->id($key, $group);
  }
}
`
