import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '#tests/support/system/world.ts'
import { isGate } from '#tests/support/turns.ts'

/** The whole server except the site itself, whose wp-config.php holds one of them. */
const PLACES = ['/var/lib/hosting-agent', '/var/log', '/etc', '/run', '/tmp', '/root']

/** The dashboard's records with their journal, and all its output. */
function recordsOf({ dashboard }: World): string {
  const files = readdirSync(dashboard.data_dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return [...files.map((file) => readFileSync(file, 'latin1')), ...dashboard.process.lines].join(
    '\n',
  )
}

export function keepsSecrets(world: World): void {
  test('stores no returned password in any log, record or file', async () => {
    const { host, secrets } = world
    // The gate always has the passwords of WordPress and of the database.
    expect(secrets.length).toBeGreaterThanOrEqual(isGate ? 2 : 10)
    const said = await host.exec(['journalctl', '--no-pager', '--output=cat'])
    const records = recordsOf(world)

    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20)
      const argv = ['grep', '-rlaF', '--devices=skip', '-e', secret, '--', ...PLACES]
      expect((await host.exec(argv)).stdout).toBe('')
      expect(said.stdout.includes(secret)).toBe(false)
      expect(records.includes(secret)).toBe(false)
    }
    expect(records).toContain(world.site.domain)
  })
}
