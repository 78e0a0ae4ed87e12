import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import {
  CACHE_PHP,
  FOLDER_SALT,
  FUNCTIONS_PHP,
  OBJECTS_FOLDER,
  SERVER_PHP,
  SOCKET,
  STORE_PHP,
} from './paths.ts'

/**
 * The drop-in of WordPress, the same for every site. A copy of a site, or a site whose object cache
 * server does not run, gets the cache of WordPress itself: it then defines no function.
 */
export const DROP_IN_TEXT = `<?php
/*
Plugin Name: Object cache
Description: Keeps the objects of WordPress in the memory of a server of this site alone. It is switched on and off in Hosting Control.
Version: 1.0
*/
// ${MARK_LINE}
defined('ABSPATH') || exit;
if (PHP_VERSION_ID >= 70200 && is_readable('${SERVER_PHP}')) {
  require_once '${SERVER_PHP}';
}
`

/**
 * A client of the Redis protocol (RESP 2) for a socket of the user that runs PHP. PHP needs no
 * extension for it, so that it works with every version of PHP.
 */
export const SERVER_PHP_TEXT = String.raw`<?php
// ${MARK_LINE}
final class Hosting_Object_Failure extends RuntimeException {}

final class Hosting_Object_Server {
  private $stream;

  private function __construct($stream) {
    $this->stream = $stream;
  }

  /** Null if nothing listens there. */
  public static function open() {
    if (!function_exists('posix_geteuid') || !function_exists('posix_getpwuid')) return null;
    $account = posix_getpwuid(posix_geteuid());
    if (!is_array($account)) return null;
    $folder = substr(hash('sha256', '${FOLDER_SALT}' . $account['name']), 0, 32);
    $path = "/run/${OBJECTS_FOLDER}/$folder/${SOCKET}";
    if (!@file_exists($path)) return null;
    $stream = @stream_socket_client("unix://$path", $code, $text, 1);
    if ($stream === false) return null;
    stream_set_timeout($stream, 1);
    return new self($stream);
  }

  /**
   * The replies to some commands: a text, a number, a list, null for nothing, and false for an
   * error. A stream that failed is closed: what comes later could be an answer to something else.
   */
  public function call(array $commands) {
    $text = '';
    foreach ($commands as $command) {
      $text .= '*' . count($command) . "\r\n";
      foreach ($command as $word) $text .= '$' . strlen((string) $word) . "\r\n$word\r\n";
    }
    try {
      if ($this->stream === null) throw new Hosting_Object_Failure('closed');
      $this->send($text);
      $replies = [];
      foreach ($commands as $command) $replies[] = $this->reply();
      return $replies;
    } catch (Hosting_Object_Failure $failure) {
      if ($this->stream !== null) @fclose($this->stream);
      $this->stream = null;
      throw $failure;
    }
  }

  private function send($text) {
    for ($sent = 0; $sent < strlen($text); $sent += $count) {
      $count = @fwrite($this->stream, $sent === 0 ? $text : substr($text, $sent));
      if ($count === false || $count === 0) throw new Hosting_Object_Failure('not sent');
    }
  }

  private function reply() {
    $line = @fgets($this->stream, 1024);
    if ($line === false || substr($line, -2) !== "\r\n") throw new Hosting_Object_Failure('no answer');
    $rest = substr($line, 1, -2);
    switch ($line[0]) {
      case '+':
        return $rest;
      case '-':
        return false;
      case ':':
        return (int) $rest;
      case '$':
        return $rest === '-1' ? null : $this->bytes((int) $rest);
      case '*':
        $list = [];
        for ($left = (int) $rest; $left > 0; $left--) $list[] = $this->reply();
        return $list;
    }
    throw new Hosting_Object_Failure('not an answer');
  }

  private function bytes($length) {
    $text = '';
    while (strlen($text) < $length + 2) {
      $part = @fread($this->stream, $length + 2 - strlen($text));
      if ($part === false || $part === '') throw new Hosting_Object_Failure('cut off');
      $text .= $part;
    }
    return substr($text, 0, $length);
  }
}

(function () {
  $server = Hosting_Object_Server::open();
  if ($server === null) return;
  require_once '${STORE_PHP}';
  require_once '${CACHE_PHP}';
  require_once '${FUNCTIONS_PHP}';
  WP_Object_Cache::connect($server);
})();
`
