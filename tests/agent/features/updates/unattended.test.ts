import { expect, test } from 'bun:test'
import { UNATTENDED_FILE } from '#agent/features/updates/unattended.ts'
import { updatesConfigure } from '#agent/features/updates/updates.configure.ts'
import { contextOf, debian, outcome } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const PROGRAM = '/usr/bin/unattended-upgrade'
const CODENAME = '$'.concat('{distro_codename}')
const FOLDER = '/etc/apt/apt.conf.d'
const DEBIAN = 'APT::Periodic::Update-Package-Lists "1";\nAPT::Periodic::Unattended-Upgrade "1";\n'

const configure = (host: FakeHost, unattended: boolean) =>
  outcome(updatesConfigure.run({ unattended }, contextOf(host)))

async function server(...files: [name: string, text: string][]): Promise<FakeHost> {
  const host = debian()
  await host.disk.write(PROGRAM, '')
  for (const [name, text] of files) await host.disk.write(`${FOLDER}/${name}`, text)
  return host
}

test('installs missing packages, and allows only security updates of Debian', async () => {
  const host = await server(['20auto-upgrades', DEBIAN])
  await host.disk.remove(PROGRAM)
  host.answer('apt-cache pkgnames', 'php8.2-fpm\n')

  const [lines] = await configure(host, true)

  expect(lines.slice(0, 2)).toEqual([
    'Installing unattended-upgrades',
    'Configuring unattended security updates',
  ])
  expect(host.ran.some((line) => / install .* unattended-upgrades$/.test(line))).toBe(true)
  const text = (await host.disk.read(UNATTENDED_FILE)) ?? ''
  expect(text).toContain('#clear Unattended-Upgrade::Origins-Pattern;')
  expect(text.match(/"origin=.*"/g)).toEqual([
    `"origin=Debian,codename=${CODENAME},label=Debian-Security"`,
    `"origin=Debian,codename=${CODENAME}-security,label=Debian-Security"`,
  ])
})

test('is on according to apt and systemd, and off as soon as somebody turns it off', async () => {
  const host = await server(['20auto-upgrades', DEBIAN])
  host.answer('apt-config dump', 'APT::Periodic::Unattended-Upgrade "1";\n')
  expect((await configure(host, true))[1]).toEqual({
    unattended: { enabled: true, wanted: true, source: 'hosting-control', detail: '' },
  })

  host.fail('systemctl is-active', '', 3)
  const detail = 'apt-daily-upgrade.timer, which starts them each day, does not run'
  expect((await configure(host, true))[1]).toEqual({
    unattended: { enabled: false, wanted: true, source: 'hosting-control', detail },
  })

  host.answer('apt-config dump', 'APT::Periodic::Unattended-Upgrade "0";\n')
  expect((await configure(host, false))[1]).toEqual({
    unattended: { enabled: false, wanted: false, source: 'hosting-control', detail: '' },
  })
  expect(await host.disk.read(UNATTENDED_FILE)).toContain('Unattended-Upgrade "0";')
})

test.each([
  {
    name: 'a switch of his own',
    file: '20auto-upgrades',
    text: 'APT::Periodic::Unattended-Upgrade "0";\n',
  },
  { name: 'another file', file: '99mine', text: 'Unattended-Upgrade::Origins-Pattern { "*"; };\n' },
])('leaves the configuration of an administrator alone: $name', async ({ file, text }) => {
  const host = await server([file, text])
  host.answer('apt-config dump', 'APT::Periodic::Unattended-Upgrade "1";\n')

  const [, result] = await configure(host, true)

  const detail = `${FOLDER}/${file} is the administrator's own`
  expect(result).toEqual({
    unattended: { enabled: true, wanted: null, source: 'administrator', detail },
  })
  expect(await host.disk.read(UNATTENDED_FILE)).toBeUndefined()
})

test('leaves a file of the package alone that an administrator has changed', async () => {
  const host = await server(['50unattended-upgrades', 'whatever'])
  host.answer('dpkg --verify', `??5??????  c ${FOLDER}/50unattended-upgrades\n`)

  const [, result] = await configure(host, true)

  expect(result).toMatchObject({ unattended: { source: 'administrator' } })
  expect(await host.disk.read(UNATTENDED_FILE)).toBeUndefined()
})

test.each(['.0123456789ab.tmp', '99mine.bak', '99mine~'])(
  'does not consider a file that apt does not read: %s',
  async (file) => {
    const host = await server([file, 'Unattended-Upgrade::Origins-Pattern { "*"; };\n'])

    const [, result] = await configure(host, true)

    expect(result).toMatchObject({ unattended: { source: 'hosting-control' } })
  },
)
