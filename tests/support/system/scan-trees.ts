import { expect, test } from 'bun:test'
import { polled } from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import type { Attack } from './tenants.ts'
import { MINUTES } from './world.ts'

/** SCAN_ENTRIES=1000000 measures the promised size; making them takes a minute. */
const ENTRIES = Number(process.env.SCAN_ENTRIES ?? 60_000)

/**
 * Prints the rights of the scanning process, where three readings in a row agree: one reading can
 * mix the user before a change with the capabilities after it.
 */
const WATCH = `
  $seen = [];
  for ($end = time() + 300; time() < $end; ) {
    $pid = 0;
    foreach (glob('/proc/[0-9]*') as $folder) {
      $argv = @file_get_contents("$folder/cmdline");
      if ($argv === "/usr/local/bin/hosting-agent\\0scan\\0") $pid = $folder;
    }
    for ($times = 0; $pid && $times < 20000 && ($text = @file_get_contents("$pid/status")); $times++) {
      preg_match_all('/^(?:Uid|Gid|Groups|Cap(?:Prm|Eff|Bnd)|NoNewPrivs|Seccomp):(.*)$/m', $text, $found);
      $line = implode(';', array_map(fn ($field) => trim(strtr($field, "\\t", ' ')), $found[1]));
      $same = $line === ($last ?? '') ? $same + 1 : 1;
      $last = $line;
      if ($same < 3 || isset($seen[$line])) continue;
      echo $line, "\\n";
      $seen[$line] = true;
    }
  }`

/** Below plugins: each folder is read. */
const LAYOUTS = [
  [
    'in one folder',
    `for ten in $(seq ${ENTRIES / 10_000}); do mkdir $(seq -f "$ten-%.0f" 10000); done`,
  ],
  [
    'in folders of 10,000',
    `for ten in $(seq ${ENTRIES / 10_000}); do mkdir $ten; (cd $ten; mkdir $(seq 10000)); done`,
  ],
] as const

export function trees(attack: Attack): void {
  test.each([
    ['a FIFO', 'mkfifo wp-config.php'],
    ['a socket', `php -r 'stream_socket_server("unix://wp-config.php");'`],
    ['a folder', 'mkdir wp-config.php'],
    ['a link to /etc/passwd', 'ln -s /etc/passwd wp-config.php'],
    ['a link to a device', 'ln -s /dev/zero wp-config.php'],
    ['an endless file', 'truncate --size 1T wp-config.php'],
  ])(
    '%s instead of wp-config.php reveals nothing, and delays nothing',
    async (_, make) => {
      const { tenants, evil, victim } = attack
      await tenants.as(evil, `mv wp-config.php kept.php; ${make}`)

      const { bad, worst_ms } = await tenants.withHealth(() => tenants.sync())
      let found: string[] = []
      // After a timeout on a busy machine a site is not read for a minute.
      const isRead = async () => {
        const both = [evil, victim].map(async (site) => (await tenants.found(site)).framework)
        found = await Promise.all(both)
        if (found.every((framework) => framework === 'wordpress')) return true
        await tenants.sync()
        return false
      }
      await polled(isRead, { every_ms: 5000, timeout_ms: 3 * MINUTES })
      const password = await tenants.password(evil)
      await tenants.as(evil, 'rm -rf wp-config.php; mv kept.php wp-config.php')

      expect([found, password, bad]).toEqual([['wordpress', 'wordpress'], '', []])
      if (long) expect(worst_ms).toBeLessThan(5000)
    },
    5 * MINUTES,
  )

  test.each(LAYOUTS)(
    `${ENTRIES} folders of a site, %s, end its scan at its limit, and delay nothing`,
    async (layout, make) => {
      const { tenants, evil, victim } = attack
      await tenants.as(evil, `mkdir -p kept; mv wp-content/plugins kept; mkdir wp-content/plugins`)
      await tenants.as(evil, `cd wp-content/plugins; ${make}`)

      const { value, bad, worst_ms } = await tenants.withHealth(async () => {
        const took = await tenants.sync()
        return { took, scan: await tenants.scan(evil) }
      })
      const { framework } = await tenants.found(victim)
      await tenants.as(evil, 'rm -rf wp-content/plugins; mv kept/plugins wp-content; rmdir kept')

      expect([value.scan.last?.event, framework, bad]).toEqual(['complete', 'wordpress', []])
      expect(value.scan.log).toContain(
        'Warning: the scan stopped at its limit of 50,000 entries of folders',
      )
      if (long) expect([value.took < 30_000, worst_ms < 5000]).toEqual([true, true])
      const figures = `sync ${value.took.toFixed(0)} ms, health ${worst_ms.toFixed(0)} ms`
      console.log(`${ENTRIES} folders ${layout}: ${figures}`)
    },
    10 * MINUTES,
  )
}

export function identities(attack: Attack): void {
  test(
    'the process that reads a site has its user, and no capability',
    async () => {
      const { tenants, evil } = attack
      const uid = (await tenants.host.must(['id', '-u', evil.user])).trim()
      const ids = (id: string) => `0 ${id} 0 ${id};0 ${id} 0 ${id};`
      const watch = tenants.host.spawn(['php', '-r', WATCH])
      const lines = () => watch.output().trim().split('\n')
      const isReading = (line: string) => line.startsWith(ids(uid))

      for (const end = Date.now() + 4 * MINUTES; !lines().some(isReading) && Date.now() < end; ) {
        await tenants.sync()
      }
      await watch.stop('SIGKILL')

      // Real, effective, saved and file system user; groups; permitted, effective, bounding set.
      const reads = /^0 ([1-9]\d*) 0 \1;0 ([1-9]\d*) 0 \2;;0+c0;0{16};0+c0;1;2$/
      // Changing from one user to the next; it opens nothing.
      const changes = /^0 0 0 0;0 (\d+) 0 \1;;0+c0;0+(?:c0)?;0+c0;1;2$/
      expect(lines().filter(isReading)).toEqual([expect.stringMatching(reads)])
      expect(lines().filter((line) => !reads.test(line) && !changes.test(line))).toEqual([])
    },
    5 * MINUTES,
  )
}
