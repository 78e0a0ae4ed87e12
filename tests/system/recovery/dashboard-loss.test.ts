// tier: full
import { expect } from 'bun:test'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import { kit, opened } from '#tests/support/dashboard/backups.ts'
import * as lab from '#tests/support/lab/index.ts'
import { lacking, unless } from '#tests/support/skip.ts'
import { fillIn, readBlocks } from '#tests/support/stranger/guide.ts'
import { NAMES, startWorld } from '#tests/support/stranger/world.ts'

const MINUTES = 60_000
const ADDRESS = `https://${NAMES.dashboard}`
const SETTINGS = '/etc/hosting-control'
const CHECKOUT = '/usr/local/src/hosting-control'
const FILES = ['release-key', 'release-key.pub', 'dashboard.env', 'install.json']

unless(lab.available() ?? lacking({ programs: ['git', 'curl'] })).test(
  'a lost dashboard comes back with its records, its settings and the key that agents trust',
  async () => {
    const world = await startWorld()
    const { server, environment } = world
    let { panel } = world
    const onPanel = (...argv: string[]) => panel.must(argv)
    const shell = (host: lab.Host, commands: string, input = '') =>
      host.must(['bash', '-euo', 'pipefail', '-c', `U=${ADDRESS}; cd /root; ${commands}`], {
        ...{ env: environment, timeout_ms: 8 * MINUTES, input },
      })
    const call = async (method: string, path: string, body?: object) => {
      const sent = body ? ['-H', 'content-type: application/json', '-d', JSON.stringify(body)] : []
      const argv = ['curl', '-sS', '--fail-with-body', '-b', '/root/jar', '-c', '/root/jar']
      const text = await onPanel(...argv, '-X', method, ...sent, `${ADDRESS}${path}`)
      return text.startsWith('{') ? JSON.parse(text) : text
    }
    const read = () => Promise.all(FILES.map((name) => onPanel('sha256sum', `${SETTINGS}/${name}`)))
    const modes = () =>
      onPanel('stat', '-c', '%n %U %a', ...FILES.slice(0, 3).map((name) => `${SETTINGS}/${name}`))

    // The guide: installation, first login, private networks, the first server.
    const blocks = (await readBlocks()).slice(0, 6)
    for (const { where, commands } of blocks.splice(0, 3)) {
      expect(where).toBe('dashboard')
      const said = await shell(panel, fillIn(commands, world.values))
      const [, password] = /^password: (\S+)$/m.exec(said) ?? []
      if (password !== undefined) world.values.password = password
    }
    const [api, first, after] = blocks.map(({ commands }) => fillIn(commands, world.values))
    const answers = await shell(panel, api ?? '')
    const { enrolment } = JSON.parse(answers.slice(answers.lastIndexOf('{"enrolment":')))
    await shell(server, first ?? '')
    await shell(server, enrolment.lines[0].line, `${enrolment.code}\n`)
    await shell(server, after ?? '')
    const isOnline = async () =>
      (await call('GET', '/api/fleet/servers/1')).server.status === 'online'
    expect(await lab.poll(isOnline, { every_ms: 500, timeout_ms: 4 * MINUTES })).toBe(true)

    // A setting of the administrator, the kit, and the key that root seals to it.
    await shell(panel, `echo TRASH_DAYS=30 >> ${SETTINGS}/dashboard.env`)
    await onPanel('systemctl', 'restart', 'hosting-control')
    const health = async () => (await call('GET', '/health').catch(() => '')) !== ''
    expect(await lab.poll(health, { timeout_ms: 2 * MINUTES })).toBe(true)
    const { challenge } = await call('POST', '/api/backup-kit', { public_key: kit.publicKey })
    await call('POST', '/api/backup-kit/confirm', { answer: opened(kit.privateKey, challenge) })
    const key = async () => (await call('GET', '/api/fleet/dashboard-backup')).backup.release_key
    const isSaid = (state: string) => lab.poll(async () => (await key())?.state === state)
    expect(await isSaid('not_saved')).toBe(true)
    const other = await panel.exec(['hosting-control', 'save-release-key', '0123456789abcdef'])
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('the recovery kit in use has another fingerprint'),
    ])
    await onPanel('hosting-control', 'save-release-key', fingerprintOf(kit.publicKey))
    expect(await isSaid('next')).toBe(true)
    const [before, owners] = [await read(), await modes()]
    const secret = (await onPanel('cat', `${SETTINGS}/release-key`)).split('\n')[1] ?? ''
    expect(await onPanel('grep', '-rlF', secret, '/etc', '/var', '/opt', '/run')).toBe(
      `${SETTINGS}/release-key\n`,
    )
    await onPanel('hosting-control', 'backup', '--with-secrets', '/var/lib/hosting-control/b.tar')
    const backup = await onPanel('base64', '-w0', '/var/lib/hosting-control/b.tar')

    // The machine is lost, and a version later there is another one.
    await panel.remove()
    await world.repository.publish('9.9.9')
    panel = await world.startPanel('panel-2')
    await panel.put('/root/dashboard.b64', backup)
    await panel.put('/root/kit.txt', `Hosting Control: recovery kit\n\n${kit.privateKey}`, 0o600)
    await shell(panel, 'base64 -d dashboard.b64 > dashboard.tar; rm dashboard.b64')
    const [clone = ''] = (await readBlocks()).map(({ commands }) => fillIn(commands, world.values))
    await shell(panel, clone.replace(/^sh scripts.*$/m, ''))
    const said = await shell(
      panel,
      `sh ${CHECKOUT}/scripts/install-dashboard.sh --recover /root/dashboard.tar --kit /root/kit.txt`,
    )

    expect(said).toContain(`Recovered the release key: ${SETTINGS}/release-key`)
    expect(said).toMatch(/Recovered the settings in \S+: .*TRASH_DAYS/)
    expect(said).toMatch(/The records: restored \d+ rows/)
    expect([await read(), await modes()]).toEqual([before, owners])
    expect(await onPanel('journalctl', '--no-pager')).not.toContain(secret)
    const login = { email: 'ops@example.com', password: world.values.password }
    const isIn = () => call('POST', '/api/auth/login', login).then(Boolean, () => false)
    expect(await lab.poll(isIn, { every_ms: 1000, timeout_ms: 2 * MINUTES })).toBe(true)
    expect(await lab.poll(isOnline, { every_ms: 500, timeout_ms: 4 * MINUTES })).toBe(true)
    expect(await isSaid('next')).toBe(true)
    const upgraded = await call('POST', '/api/servers/1/upgrade')
    expect(upgraded).toContain('event: complete\ndata: {"status":"ok","version":"9.9.9"}')
    expect(await server.must(['hosting-agent', 'version'])).toStartWith('9.9.9')
    await world.stop()
  },
  40 * MINUTES,
)
