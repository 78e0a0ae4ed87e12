import type { InsideAttack } from '#agent/features/isolation/attack.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'

/** Attacks on logins to WordPress that the dashboard prepares: see features/wordpress/login/. */
export const LOGIN_ATTACKS = {
  'login.tokens': {
    severity: 'critical',
    title: 'Read, plant or use a login to the WordPress of its neighbour',
    meaning: 'A site signs somebody in to its neighbour as an administrator.',
    /** A token of the attacker, sent to the neighbour, must not open the attacker's folder. */
    code: `
$did = [];
$folder = $n['home'] . '/tmp/logins';
if (@scandir($folder) !== false) $did[] = "listed $folder";
$token = str_repeat('a', 20) . substr(hash('sha256', $n['random']), 0, 20);
$entry = json_encode(['user' => 1, 'until' => time() + 60]);
$name = hash('sha256', $token);
if (@file_put_contents("$folder/$name", $entry) !== false) {
  $did[] = "wrote to $folder";
  @unlink("$folder/$name");
}
$own = '/srv/www/' . $n['user'] . '/tmp/logins';
@mkdir($own, 0700);
@file_put_contents("$own/$name", $entry);
$answer = asks('tcp://127.0.0.1:80', implode("\\r\\n", [
  'POST ${LOGIN_PATH} HTTP/1.0', 'Host: ' . $n['domain'], 'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: ' . strlen("token=$token"), '', "token=$token",
]), 10);
@unlink("$own/$name");
if (preg_match('~^HTTP/1\\.\\d 30|^set-cookie: wordpress_logged_in~mi', $answer)) $did[] = 'was signed in';
if ($did) return succeeded(implode(', ', $did));
if (!preg_match('~^HTTP/1\\.\\d 403~', $answer)) return failed('the neighbour returned no answer to a login');
return refused();`,
  },
} as const satisfies Record<string, InsideAttack>
