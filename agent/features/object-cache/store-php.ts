import { MARK_LINE } from '#agent/kernel/effects/generated.ts'

/** The maximum size of a stored value: a larger one would displace too many others. */
const LARGEST_VALUE = 8 << 20

/** Stores values on the object cache server of the site, which may fail at any time. */
export const STORE_PHP_TEXT = String.raw`<?php
// ${MARK_LINE}
abstract class Hosting_Object_Store {
  private static $connected;
  protected $server;
  private $non_persistent = [];
  private $has_missed = false;

  public static function connect(Hosting_Object_Server $server) {
    self::$connected = $server;
  }

  public function __construct() {
    $this->server = self::$connected;
  }

  public function add_non_persistent_groups($groups) {
    $this->non_persistent += array_fill_keys((array) $groups, true);
  }

  /** A change that the server has missed would come back from there. */
  public function close() {
    if (!$this->has_missed) return;
    try {
      $server = Hosting_Object_Server::open();
      if ($server !== null && $server->call([['FLUSHDB']]) === ['OK']) $this->has_missed = false;
    } catch (Hosting_Object_Failure $failure) {
    }
  }
  /** After a close that failed, the second attempt. */
  public function __destruct() {
    $this->close();
  }

  protected function encode($value) {
    if (is_int($value)) return (string) $value;
    try {
      $text = serialize($value);
    } catch (Throwable $problem) {
      return null;
    }
    return strlen($text) > ${LARGEST_VALUE} ? null : $text;
  }

  protected function decode($text, &$value) {
    $value = null;
    if (!is_string($text)) return false;
    if (preg_match('/^-?\d+\z/', $text)) {
      $value = (int) $text;
      return true;
    }
    try {
      $value = @unserialize($text);
    } catch (Throwable $problem) {
      return false;
    }
    return $value !== false || $text === 'b:0;';
  }

  /** Null if the server does not answer, which is final for this request. */
  protected function call(array $commands, $is_change = false) {
    if (!$commands) return [];
    try {
      if ($this->server !== null) return $this->server->call($commands);
    } catch (Hosting_Object_Failure $failure) {
      $this->server = null;
    }
    if ($is_change) $this->has_missed = true;
    return null;
  }

  protected function is_valid($key) {
    if (is_int($key) || (is_string($key) && trim($key) !== '')) return true;
    if (function_exists('_doing_it_wrong') && function_exists('__')) {
      _doing_it_wrong('WP_Object_Cache', 'Cache key must be an integer or a non-empty string.', '6.1.0');
    }
    return false;
  }

  protected function is_kept($group) {
    return !isset($this->non_persistent[$group]);
  }
}
`
