// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { lacking, unless } from '#tests/support/skip.ts'
import { type Block, fillIn, readBlocks } from '#tests/support/stranger/guide.ts'
import { NAMES, startWorld, type World } from '#tests/support/stranger/world.ts'

const MINUTES = 60_000
setDefaultTimeout(8 * MINUTES)
const ADDRESS = `https://${NAMES.dashboard}`

/** Follows the installation guide from two empty servers; each test runs the next commands. */
unless(lab.available() ?? lacking({ programs: ['git', 'curl'] })).describe(
  'a stranger with the installation guide',
  () => {
    let world: World
    let blocks: Block[] = []

    beforeAll(async () => {
      world = await startWorld()
      blocks = await readBlocks()
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    /** Runs the next commands of the guide, unchanged; they must be for `where`. */
    const next = async (where: string) => {
      const block = blocks.shift()
      if (block?.where !== where) throw new Error(`the guide continues with ${block?.where}`)
      const host = where.startsWith('server') ? world.server : world.panel
      const commands = fillIn(block.commands, world.values)
      const shell = ['bash', '-euo', 'pipefail', '-c', `U=${ADDRESS}; cd /root; ${commands}`]
      return host.must(shell, { env: world.environment, timeout_ms: 8 * MINUTES })
    }
    const onPanel = (...argv: string[]) => world.panel.must(argv)
    const ask = (path: string) =>
      onPanel('curl', '-sS', '--fail', '-b', '/root/jar', ADDRESS + path)
    const health = () => onPanel('curl', '-sS', '--fail', `${ADDRESS}/health`)
    const isBack = async () => (await health().catch(() => '')) !== ''
    const site = () => onPanel('curl', '-sS', '--fail', `https://${NAMES.site}/`)

    test('installs the dashboard with one command and a certificate that browsers trust', async () => {
      const said = await next('dashboard')

      expect(said).toContain(`is running: ${ADDRESS}\n`)
      expect(await health()).toBe('{"status":"ok"}')
      const redirect = ['-o', '/dev/null', '-w', '%{http_code} %{redirect_url}']
      const plain = () => onPanel('curl', '-s', ...redirect, `http://${NAMES.dashboard}/x`)
      // A worker of nginx that leaves after the reload may still answer as before.
      await lab.poll(async () => (await plain()) !== '503 ', { timeout_ms: 10_000 })
      expect(await plain()).toBe(`301 ${ADDRESS}/x`)
      expect(await onPanel('ps', '-o', 'user:32=', '-C', 'hosting-control')).toBe(
        'hosting-control\n',
      )
    })

    test('shows the first password once, and nowhere else', async () => {
      const said = await next('dashboard')
      const [, email, password = ''] = /^first login: (\S+)\npassword: (\S+)$/m.exec(said) ?? []
      world.values.password = password

      expect(email).toBe('ops@example.com')
      const again = await world.panel.exec(['hosting-control', 'first-login'])
      expect([again.code, again.stdout]).toEqual([1, ''])
      expect(await onPanel('journalctl', '--no-pager')).not.toContain(password)
    })

    test('allows private networks by the same script, which builds nothing again', async () => {
      const said = await next('dashboard')

      expect(said).toMatch(/^- Release \S+ exists already\n- Starting release/)
      expect(await onPanel('cat', '/etc/hosting-control/dashboard.env')).toContain(
        '\nPRIVATE_ADDRESSES=allow\n',
      )
    })

    test('adds a server with an install command and a code', async () => {
      const answers = (await next('api')).trim()
      const { enrolment } = JSON.parse(answers.slice(answers.lastIndexOf('{"enrolment":')))
      await next('server')
      const [{ line }] = enrolment.lines
      await world.server.must(['bash', '-c', line], { input: `${enrolment.code}\n` })
      await next('server, after the line')

      expect(enrolment.obstacle).toBe('')
      const server = async () => JSON.parse(await ask('/api/fleet/servers/1')).server
      const isOnline = async () => (await server()).status === 'online'
      // A first contact during the restart above is retried by the next sync.
      expect(await lab.poll(isOnline, { every_ms: 300, timeout_ms: 4 * MINUTES })).toBe(true)
    })

    test('creates a site with a certificate that its visitors trust', async () => {
      const { site: made } = JSON.parse(await next('api'))
      const state = async () => JSON.parse(await ask(`/api/fleet/sites/${made.id}`)).site.status
      const { operations } = JSON.parse(await ask('/api/operations?type=site.create'))
      const events = `${ADDRESS}/api/operations/${operations[0]?.id}/events`
      const follow = ['curl', '-sN', '--max-time', '5', '-b', '/root/jar', events]
      // Packages take longer than that: what came before the end was not kept back.
      const followed = await world.panel.exec(follow)
      expect([followed.code, followed.stdout]).toEqual([
        28,
        expect.stringMatching(/^(: ping\n\n)?id: 1\n/),
      ])
      const ended = async () => (await state()) !== 'provisioning'
      await lab.poll(ended, { every_ms: 500, timeout_ms: 6 * MINUTES })

      expect(await state()).toBe('active')
      expect(await site()).toContain('wp-content')
    })

    test('updates the dashboard and then the agent with a key that the dashboard cannot read', async () => {
      await world.repository.publish('9.9.9')
      expect(await next('update')).toMatch(/^Hosting Control 9\.9\.9-\w+ is running/m)
      const upgraded = await next('api')

      expect(upgraded).toContain('event: complete\ndata: {"status":"ok","version":"9.9.9"}')
      expect(await world.server.must(['hosting-agent', 'version'])).toStartWith('9.9.9')
      expect(await health()).toBe('{"status":"ok"}')
      expect(await site()).toContain('wp-content')
      expect(await onPanel('stat', '-c', '%U %a', '/etc/hosting-control/release-key')).toBe(
        'root 600\n',
      )
    })

    test('a version that does not start is rolled back with the records that it migrated', async () => {
      const before = await onPanel('readlink', '/opt/hosting-control/current')
      await world.repository.publishBroken()
      const checkout = '/usr/local/src/hosting-control'
      await onPanel('git', '-C', checkout, 'pull', '-q')
      const update = ['sh', `${checkout}/scripts/install-dashboard.sh`]
      const { code, stdout, stderr } = await world.panel.exec(update, { env: world.environment })

      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: expect.stringContaining('with its previous records'),
        stderr: expect.stringContaining('broken on purpose'),
      })
      expect(await onPanel('readlink', '/opt/hosting-control/current')).toBe(before)
      expect(await health()).toBe('{"status":"ok"}')
      expect(await onPanel('hosting-control', 'check')).toBe('ok\n')
    })

    test('moves the records with their secrets, so that agents still trust the dashboard', async () => {
      await next('move')
      expect(await next('move')).toContain('all users must log in again\n')

      const login = { email: 'ops@example.com', password: world.values.password }
      const body = ['-H', 'content-type: application/json', '-d', JSON.stringify(login)]
      const sync = ['-X', 'POST', `${ADDRESS}/api/servers/1/sync`]
      expect(await lab.poll(isBack, { timeout_ms: 3 * MINUTES })).toBe(true)
      await onPanel(
        'curl',
        '-sS',
        '--fail',
        '-c',
        '/root/jar',
        ...body,
        `${ADDRESS}/api/auth/login`,
      )
      expect(await onPanel('curl', '-sSN', '--fail', '-b', '/root/jar', ...sync)).toContain(
        'event: complete\n',
      )
    })

    test('verifies the record of the activity, and exports it', async () => {
      expect(JSON.parse(await next('api'))).toMatchObject({ ok: true })

      const [first = ''] = (await onPanel('cat', '/root/activity.jsonl')).split('\n')
      expect(JSON.parse(first)).toMatchObject({ record: 'hosting-control' })
    })

    test('uninstalls the dashboard, and lists what stays', async () => {
      const said = await next('uninstall')

      expect(said).toContain('/var/lib/hosting-control: the records')
      expect(await onPanel('ls', '/opt')).toBe('')
      expect(await onPanel('ls', '/etc/nginx/sites-enabled')).toBe('default\n')
      expect(await world.panel.exec(['systemctl', 'cat', 'hosting-control'])).toMatchObject({
        code: 1,
      })
      expect(await site()).toContain('wp-content')
      expect(blocks).toEqual([])
    })
  },
)
