import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { databaseOf, readConfig, smtpOf } from '#dashboard/config.ts'

describe('the environment', () => {
  test('has defaults, and an empty variable counts as unset', () => {
    expect(readConfig({ PORT: '', UNRELATED: 'x' })).toEqual({
      HOST: '127.0.0.1',
      PORT: 3000,
      DATA_DIR: './data',
      PRIVATE_ADDRESSES: 'refuse',
      TRASH_DAYS: 14,
      BACKUPS_KEPT: 7,
      BACKUPS_OFF_SITE: 'on',
      BACKUPS_STALL: 1500,
      production: false,
    })
  })

  test.each([
    [{ PORT: '70000' }, 'PORT: must be a port number between 0 and 65535'],
    [{ PORT: '-1' }, 'PORT: must be a port number between 0 and 65535'],
    [{ PORT: '3e3' }, 'PORT: must be a port number between 0 and 65535'],
    [{ DATABASE_URL: 'postgres://localhost/x' }, 'DATABASE_URL: must be a file:'],
    [{ DATABASE_URL: 'x.db' }, 'DATABASE_URL: must be a file:, http(s):// or libsql:// URL'],
    [{ JWT_SECRET: 'short' }, 'JWT_SECRET: must have at least 32 characters'],
    [{ PUBLIC_URL: 'control.example' }, 'PUBLIC_URL: must be an http:// or https:// URL'],
    [{ PUBLIC_URL: 'ftp://control.example' }, 'PUBLIC_URL: must be an http:// or https:// URL'],
    [{ SMTP_URL: 'smtp://a:needle@relay.example/path' }, 'SMTP_URL: must be smtp:// or smtps://'],
    [{ MAIL_FROM: 'ann' }, 'MAIL_FROM: Must be an e-mail address'],
    [{ TRASH_DAYS: '0' }, 'TRASH_DAYS: must be a number of days between 1 and 365'],
    [{ TRASH_DAYS: '366' }, 'TRASH_DAYS: must be a number of days between 1 and 365'],
    [{ TRASH_DAYS: '1.5' }, 'TRASH_DAYS: must be a number of days between 1 and 365'],
    [{ ADMIN_EMAIL: 'ann' }, 'ADMIN_EMAIL: Must be an e-mail address'],
  ])('%j is refused in one line', (environment, line) => {
    expect(() => readConfig(environment)).toThrow(line)
  })

  test('has the token of a libSQL server in a file, so that no environment shows it', async () => {
    const file = `${await mkdtemp(join(tmpdir(), 'config-'))}/token`
    await Bun.write(file, 'a.b.c\n')
    const url = 'https://records.example'
    const config = readConfig({ DATABASE_URL: url, DATABASE_AUTH_TOKEN_FILE: file })
    expect(databaseOf(config)).toEqual({ url, token: 'a.b.c' })

    await rm(dirname(file), { recursive: true })
    expect(() => databaseOf(config)).toThrow(
      `DATABASE_AUTH_TOKEN_FILE: ${file} cannot be read (ENOENT)`,
    )
  })

  test.each([
    [{ MAIL_FROM: 'ops@a.example', PUBLIC_URL: 'https://b.example' }, 'ops@a.example'],
    [{ SMTP_URL: 'smtp://ann%40a.example:x@relay.example' }, 'ann@a.example'],
    [{ PUBLIC_URL: 'https://b.example:8443' }, 'hosting-control@b.example'],
    [{}, 'hosting-control@localhost'],
  ])('%j decides the sender of mail', (environment, from) => {
    const config = readConfig({ SMTP_URL: 'smtp://relay.example', ...environment })
    expect(smtpOf(config)?.from).toBe(from)
  })

  test('has no SMTP server without SMTP_URL', () => {
    expect(smtpOf(readConfig({ MAIL_FROM: 'ops@a.example' }))).toBeUndefined()
  })
})
