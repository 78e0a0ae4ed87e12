// tier: gate
import { expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eachFolder } from '#tests/support/each-folder.ts'
import { lacking, unless } from '#tests/support/skip.ts'

const TENANT = 65001
const ROOT = join(import.meta.dir, '../../../..')

let root = ''
eachFolder((path) => {
  root = path
  chmodSync(root, 0o755)
})

/** Runs code as the scan process runs: `access` opens sites, `status` is that of the process. */
async function scanning(code: string, begin = 'dropToNobody'): Promise<unknown> {
  const program = `
    import { readdirSync, readFileSync } from 'node:fs'
    import { machineAccess } from '${ROOT}/agent/kernel/scan/access.ts'
    import { switchToNobody, dropToNobody } from '${ROOT}/agent/kernel/scan/identity.ts'
    await ${begin}()
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
  // Where the system calls cannot be made, libc's functions change all threads.
  test.each(['dropToNobody', 'switchToNobody'])(
    'has no capability while it reads, and runs as nobody afterwards (%s)',
    async (begin) => {
      const code = `
        const site = { docroot: '/etc', php_user: 'www-data' }
        return [access.read(site, status).value, status()]`

      expect(await scanning(code, begin)).toEqual([
        ['0\t33\t0\t33', '0\t33\t0\t33', '', '0000000000000000'],
        ['0\t65534\t0\t65534', '0\t65534\t0\t65534', '', '0000000000000000'],
      ])
    },
  )

  test('reads as the site on one thread only; the others run as nobody', async () => {
    const users = await scanning(`
      const user = (task) => /^Uid:\\t\\d+\\t(\\d+)/m.exec(readFileSync('/proc/self/task/' + task + '/status', 'utf8'))[1]
      const users = () => [...new Set(readdirSync('/proc/self/task').map(user))].sort()
      const site = { docroot: '/etc', php_user: 'www-data' }
      return [access.read(site, users).value, users()]`)

    expect(users).toEqual([['33', '65534'], ['65534']])
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

  test('runs as nobody also after a failed scan', async () => {
    const after = await scanning(`
      try { access.read({ docroot: '/etc' }, () => { throw new Error('broken') }) } catch {}
      return status()[0]`)

    expect(after).toBe('0\t65534\t0\t65534')
  })
})
