import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacking, unless } from '#tests/support/skip.ts'

const TENANT = 65001
const ROOT = join(import.meta.dir, '../../..')

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'access-'))
  chmodSync(root, 0o755)
})
afterEach(() => rmSync(root, { recursive: true }))

/** Runs code as the scan process runs: `access` opens sites, `status` is that of the process. */
async function scanning(code: string): Promise<unknown> {
  const program = `
    import { readFileSync } from 'node:fs'
    import { machineAccess } from '${ROOT}/agent/scan/access.ts'
    const field = (name) => new RegExp('^' + name + ':(.*)$', 'm').exec(readFileSync('/proc/self/status', 'utf8'))[1]
    const status = () => ['Uid', 'Gid', 'Groups', 'CapEff'].map((name) => field(name).trim())
    const access = machineAccess('/none')
    console.log(JSON.stringify(await (async () => { ${code} })()))`
  const limits = ['--clear-groups', '--no-new-privs', '--inh-caps=-all']
  const argv = ['setpriv', ...limits, '--bounding-set=-all,+setuid,+setgid', '--']
  const child = Bun.spawn([...argv, process.execPath, '-e', program], { stderr: 'inherit' })
  return JSON.parse(await new Response(child.stdout).text())
}

unless(lacking({ root: true, programs: ['setpriv'] })).describe('the process that scans', () => {
  test('has no capability while it reads, and is nobody afterwards', async () => {
    const inside = await scanning(`
      const site = { docroot: '/etc', php_user: 'www-data' }
      return [access.read(site, status).value, status()]`)

    expect(inside).toEqual([
      ['0\t33\t0\t33', '0\t33\t0\t33', '', '0000000000000000'],
      ['0\t65534\t0\t65534', '0\t65534\t0\t65534', '', '0000000000000000'],
    ])
  })

  test('opens what the owner of the docroot may open, and nothing else', async () => {
    for (const [name, uid] of [
      ['shop', 33],
      ['neighbour', TENANT],
    ] as const) {
      mkdirSync(`${root}/${name}`)
      writeFileSync(`${root}/${name}/wp-config.php`, name, { mode: 0o600 })
      for (const path of ['', '/wp-config.php']) chownSync(`${root}/${name}${path}`, uid, uid)
    }
    writeFileSync(`${root}/of-root`, 'root', { mode: 0o600 })

    const read = await scanning(`
      const site = { docroot: '${root}/shop' }
      const paths = ['shop/wp-config.php', 'neighbour/wp-config.php', 'of-root']
      return access.read(site, (open) => paths.map((path) => open('${root}').head(path, 99) ?? null)).value`)

    expect(read).toEqual(['shop', null, null])
  })

  test('is nobody also when a scan fails', async () => {
    const after = await scanning(`
      try { access.read({ docroot: '/etc' }, () => { throw new Error('broken') }) } catch {}
      return status()[0]`)

    expect(after).toBe('0\t65534\t0\t65534')
  })
})
