import { expect, test } from 'bun:test'
import { UNATTENDED_FILE } from '#agent/features/updates/unattended.ts'
import { updatesConfigure } from '#agent/features/updates/updates.configure.ts'
import { contextOf, outcome, server } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const configure = (host: FakeHost, unattended: boolean) =>
  outcome(updatesConfigure.run({ unattended }, contextOf(host)))

test('installs the package and switches security updates on, then off again', async () => {
  const host = await server()

  const [lines] = await configure(host, true)

  expect(lines.slice(0, 1)).toEqual(['Installing unattended-upgrades'])
  expect(host.disk.all[UNATTENDED_FILE]).toContain('APT::Periodic::Unattended-Upgrade "1";')

  await configure(host, false)

  expect(host.disk.all[UNATTENDED_FILE]).toContain('APT::Periodic::Unattended-Upgrade "0";')
})

test('changes nothing that is configured already', async () => {
  const host = await server()
  await configure(host, false)
  const before = host.disk.all

  const [lines, result] = await configure(host, false)

  expect(lines).toEqual([
    'Security updates are not installed automatically: unattended-upgrades is not installed',
  ])
  expect(result).toMatchObject({ unattended: { enabled: false, wanted: false } })
  expect(host.disk.all).toEqual(before)
})
