import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import type { Attack, Tenant, Tenants } from './tenants.ts'
import { MINUTES } from './world.ts'

/** Runs `work` while the wp-config.php of a site has this text. */
async function withConfig<T>(
  { host }: Tenants,
  { docroot, user }: Tenant,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const path = `${docroot}/wp-config.php`
  const write = async (content: string) => {
    await host.must(['rm', '-f', path])
    await host.put(path, content, 0o600)
    await host.must(['chown', `${user}:${user}`, path])
  }
  const before = await host.must(['cat', path])
  await write(text)
  return work().finally(() => write(before))
}

/** Prints its password, which the agent requests: `$say` of a list of words. */
const telling = (code: string) =>
  `<?php include 'missing'; ${code} define('DB_PASSWORD', implode(' ', $say));
   require_once ABSPATH . 'wp-settings.php';`

const silent = (code: string) => `<?php include 'missing'; ${code}
  define('DB_PASSWORD', 'told'); require_once ABSPATH . 'wp-settings.php';`

/** None of them has an answer. */
const SILENT = {
  'an endless loop': silent('for (;;);'),
  'an endless loop that hears no signal': silent(
    'pcntl_async_signals(true); foreach (array_diff(range(1, 31), [9, 19]) as $n) @pcntl_signal($n, SIG_IGN); for (;;);',
  ),
  'more and more memory': silent(
    'ini_set("memory_limit", -1); for (;;) $a[] = str_repeat("x", 9e6);',
  ),
  'more and more output': silent('for (;;) echo str_repeat("x", 9e6);'),
  'an exit': silent('exit;'),
  'an exit behind an answer of its own': silent(
    `echo '\\n{"wordpress":true,"constants":{"DB_PASSWORD":"told"}}\\n'; die(0);`,
  ),
  'an exception': silent('throw new Exception("secret");'),
  'a mistake in its syntax': silent('if if'),
  'closed descriptors': silent('foreach (get_resources() as $r) @fclose($r);'),
}

const READS = (victim: Tenant) => [
  `${victim.docroot}/wp-config.php`,
  '/etc/shadow',
  '/etc/nginx/nginx.conf',
  '/etc/hosting-agent/policy.json',
  '/var/lib/hosting-agent/state.json',
  '/proc/1/environ',
]

export function unanswered(attack: Attack): void {
  test.each(Object.entries(SILENT))(
    'a configuration with %s is unknown, and does not affect other sites',
    async (_, text) => {
      const { tenants, evil, victim } = attack
      const start = performance.now()
      const [password, other, health] = await withConfig(tenants, evil, text, () =>
        Promise.all([
          tenants.password(evil),
          tenants.password(victim),
          tenants.withHealth(async () => undefined),
        ]),
      )

      expect([password, other, health.bad]).toEqual(['', victim.password, []])
      if (long) expect(performance.now() - start).toBeLessThan(30_000)
      // A background sync may have read the site too.
      const left = () => tenants.host.exec(['pgrep', '-u', evil.user, '-f', 'HostingReader'])
      expect(await poll(async () => (await left()).stdout === '')).toBe(true)
    },
    5 * MINUTES,
  )
}

export function confined(attack: Attack): void {
  test(
    'a configuration starts no process, opens no socket, writes nothing, and reads no file of others',
    async () => {
      const { tenants, evil, victim } = attack
      const text = telling(
        `
        $say[] = json_encode(@pcntl_fork());
        $say[] = json_encode(is_resource(@proc_open(['id'], [], $pipes)));
        $say[] = json_encode(@shell_exec('id'));
        $say[] = json_encode(@stream_socket_client('tcp://127.0.0.1:22', $a, $b, 2) !== false);
        $say[] = json_encode(@stream_socket_client('unix:///run/mysqld/mysqld.sock', $a, $b, 2) !== false);
        $say[] = json_encode((bool) @file_put_contents(__DIR__ . '/made', 'x'));
        $say[] = json_encode((bool) @file_put_contents('/tmp/made', 'x'));
        foreach (${JSON.stringify(READS(victim))} as $path) $say[] = json_encode(@file_get_contents($path));
        $say[] = json_encode(glob('/srv/www/*'), JSON_UNESCAPED_SLASHES);
        $say[] = json_encode(array_filter(getenv(), fn (\\$name) => !in_array(\\$name, ['PATH', 'LC_ALL', 'HOME']), ARRAY_FILTER_USE_KEY));`.replaceAll(
          '\\$',
          '$',
        ),
      )

      const said = await withConfig(tenants, evil, text, () => tenants.password(evil))

      const no = ['-1', 'false', 'false', 'false', 'false', 'false', 'false']
      const home = JSON.stringify([`/srv/www/${evil.user}`])
      const none = READS(victim).map(() => 'false')
      expect(said).toBe([...no, ...none, home, '[]'].join(' '))
    },
    5 * MINUTES,
  )
}
