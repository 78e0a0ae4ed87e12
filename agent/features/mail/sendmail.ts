import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'

/** The path of `sendmail`: PHPMailer accepts only a `sendmail_path` that contains this word. */
export const SENDMAIL = `${LIBRARY}/sendmail`

/** Returns the program that PHP starts for `mail()`: without packages, setgid or PHP settings. */
export const sendmailPath = ({ user, php }: { user: string; php: string }) =>
  `/usr/bin/php${php} -n ${SENDMAIL} ${MAIL_PATHS.socket(user)} -t -i`

/**
 * A `sendmail` that runs as the site and hands the message to the queue, at the socket in its first
 * argument. While the queue restarts it retries for up to 8 seconds; the id that it chooses
 * prevents duplicates. Its exit statuses are those of sysexits(3), except 75, which PHP takes for a
 * success.
 */
export const SENDMAIL_PHP = String.raw`<?php
// ${MARK_LINE}
const MAX_BYTES = 26214400;
const SECONDS = 8.0;

function stop(int $status, string $reason): never {
  fwrite(STDERR, "sendmail: $reason\n");
  exit($status);
}

/** What sendmail(8) takes; options that change nothing here are passed over. */
function options(array $words): array {
  $asked = ['sender' => null, 'recipients' => [], 'from_fields' => false, 'dots' => true];
  while ($words) {
    $word = array_shift($words);
    if ($word === '--') {
      array_push($asked['recipients'], ...$words);
      break;
    }
    if ($word === '' || $word[0] !== '-') $asked['recipients'][] = $word;
    elseif ($word === '-t' || $word === '-ti' || $word === '-it') {
      $asked['from_fields'] = true;
      if ($word !== '-t') $asked['dots'] = false;
    } elseif ($word === '-i' || $word === '-oi') $asked['dots'] = false;
    elseif (in_array(substr($word, 0, 2), ['-f', '-r'], true)) {
      $asked['sender'] = strlen($word) > 2 ? substr($word, 2) : (string) array_shift($words);
    } elseif (in_array($word, ['-F', '-N', '-R', '-V', '-h', '-p', '-B', '-L', '-O', '-X', '-o'], true)) array_shift($words);
    elseif ($word[1] === 'b' && $word !== '-bm') stop(64, "$word is not available here");
  }
  return $asked;
}

/** A temporary copy of standard input: its size has to be known before it is sent. */
function message(bool $dots) {
  $text = fopen('php://temp/maxmemory:1048576', 'w+');
  if (!$dots) stream_copy_to_stream(STDIN, $text, MAX_BYTES + 1);
  else while (($line = fgets(STDIN)) !== false && rtrim($line, "\r\n") !== '.') fwrite($text, $line);
  return $text;
}

/** The answer of the queue; an empty one when the connection broke. */
function handOver($peer, string $opening, $text): string {
  if (@fwrite($peer, $opening) === false) return '';
  $answer = (string) fgets($peer);
  if (!str_starts_with($answer, '354')) return trim($answer);
  rewind($text);
  if (@stream_copy_to_stream($text, $peer) === false) return '';
  return trim((string) fgets($peer));
}

$socket = $argv[1] ?? stop(64, 'the socket of the queue is missing');
$asked = options(array_slice($argv, 2));
$text = message($asked['dots']);
unset($asked['dots']);
$asked['size'] = fstat($text)['size'];
if ($asked['size'] > MAX_BYTES) stop(69, 'the message has more than 25 MB');
$asked['id'] = bin2hex(random_bytes(12));
$opening = json_encode($asked, JSON_INVALID_UTF8_SUBSTITUTE) . "\n";

$end = microtime(true) + SECONDS;
$answer = '';
while (microtime(true) < $end) {
  clearstatcache();
  if (!file_exists($socket)) stop(69, 'no relay is configured for this site: mail is not sent');
  $peer = @stream_socket_client("unix://$socket", $code, $reason, 2);
  if ($peer !== false) {
    stream_set_timeout($peer, max(1, (int) ($end - microtime(true))));
    $answer = handOver($peer, $opening, $text);
    fclose($peer);
    if ($answer !== '') break;
  }
  usleep(100000);
}
if ($answer === '') stop(69, 'the queue does not answer');
if (!str_starts_with($answer, '250')) stop(69, $answer);
`
