import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DECRYPT,
  privateKeyIn,
  renderKit,
  restoreCommands,
} from '#dashboard/web/pages/backups/kit/kit-file.ts'
import { kit, sealed } from '#tests/support/dashboard/backups.ts'

const FINGERPRINT = '0123456789abcdef'
const text = renderKit({
  fingerprint: FINGERPRINT,
  created_at: '2026-01-02T03:04:05.000Z',
  private_key: kit.privateKey,
})

test('a kit has its private key, what it is for, and every command of a restore', () => {
  expect(privateKeyIn(text)).toBe(kit.privateKey.trim())
  expect(text).toStartWith(
    `Hosting Control: recovery kit\nFingerprint: ${FINGERPRINT}\nCreated: 2026-01-02T03:04:05.000Z\n`,
  )
  for (const command of restoreCommands(FINGERPRINT)) expect(text).toContain(`\n${command}\n`)
})

test.each([
  ['nothing', ''],
  ['another file', 'milk, bread, eggs'],
  ['a public key', kit.publicKey],
  ['a cut key', kit.privateKey.slice(0, 800)],
])('there is no key in %s', (_, other) => {
  expect(privateKeyIn(other)).toBe(undefined)
})

test('the line ends of another system do not matter', () => {
  expect(privateKeyIn(text.replaceAll('\n', '\r\n'))?.replaceAll('\r', '')).toBe(
    kit.privateKey.trim(),
  )
})

test('openssl opens with the file what is encrypted to the kit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kit-'))
  writeFileSync(join(folder, 'hosting-control-recovery-kit.txt'), text)

  const output = execFileSync('sh', ['-c', DECRYPT], {
    cwd: folder,
    input: sealed('a password'),
    encoding: 'utf8',
  })

  expect(output).toBe('a password')
})
