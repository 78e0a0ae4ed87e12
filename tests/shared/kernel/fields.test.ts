import { expect, test } from 'bun:test'
import type { z } from 'zod'
import { RepositoryName } from '#shared/backups/backup.ts'
import * as fields from '#shared/kernel/fields.ts'
import { parse } from '#shared/kernel/parse.ts'
import { ServiceName } from '#shared/servers/service.restart.ts'

const many = (length: number) => Array.from({ length }, (_, index) => `tag${index}`)

const taken: [string, z.ZodType, unknown, unknown][] = [
  ['a trimmed server name', fields.ServerName, '  Web 1 ', 'Web 1'],
  ['a server name of 64 characters', fields.ServerName, 'n'.repeat(64), 'n'.repeat(64)],
  ['a server name in any script', fields.ServerName, 'Büro 東京', 'Büro 東京'],
  ['a host name in upper case', fields.Hostname, ' WEB1.Example.com ', 'web1.example.com'],
  ['an IPv6 host', fields.Hostname, '2001:DB8::1', '2001:db8::1'],
  ['port 1', fields.Port, 1, 1],
  ['port 65535', fields.Port, 65535, 65535],
  ['an underscore in a user', fields.SystemUser, '_apt', '_apt'],
  ['a user of 32 characters', fields.SystemUser, 'u'.repeat(32), 'u'.repeat(32)],
  ['a user of a site', fields.SiteSystemUser, 'my-hosting', 'my-hosting'],
  ['the user of an administrator', fields.SystemUser, 'hosting', 'hosting'],
  ['the repository of a site', RepositoryName, 'my-hosting', 'my-hosting'],
  ['no tags', fields.Tags, [], []],
  ['twenty trimmed tags', fields.Tags, many(20).map((tag) => ` ${tag} `), many(20)],
  ['a tag of 32 characters', fields.Tags, ['t'.repeat(32)], ['t'.repeat(32)]],
  ['PHP 8.3', fields.PhpVersion, '8.3', '8.3'],
  ['a trimmed tier', fields.Domain, ' shop.example ', 'shop.example'],
  ['an e-mail address', fields.Email, ' ann@example.com ', 'ann@example.com'],
  ['the FPM of a site', ServiceName, 'php-fpm:shop_1', 'php-fpm:shop_1'],
  ['an identifier', fields.Id, 7, 7],
]

test.each(taken)('accepts %s', (_, schema, value, stored) => {
  expect(parse(schema, value)).toEqual(stored)
})

const notText = { null: null, 7: 7, true: true, 'a list': ['x'], 'an object': { x: 1 } }
const texts = {
  Domain: fields.Domain,
  Hostname: fields.Hostname,
  ServerName: fields.ServerName,
  SystemUser: fields.SystemUser,
  PhpVersion: fields.PhpVersion,
  Email: fields.Email,
}

test.each(
  Object.entries(texts).flatMap(([name, schema]) =>
    Object.entries(notText).map(([what, value]) => [name, what, value, schema] as const),
  ),
)('%s refuses %s, which is no string, and says so once', (_name, _what, value, schema) => {
  expect(messages(schema, value)).toEqual(['Must be a string'])
})

test.each([
  ['Domain', fields.Domain, 'Domain is required'],
  ['Hostname', fields.Hostname, 'Hostname is required'],
  ['ServerName', fields.ServerName, 'Name is required'],
  ['SystemUser', fields.SystemUser, 'User is required'],
  ['PhpVersion', fields.PhpVersion, 'PHP version is required'],
  ['Tier', fields.Tier, 'Tier is required'],
  ['TlsMode', fields.TlsMode, 'TLS mode is required'],
  ['Email', fields.Email, 'E-mail address is required'],
  ['Port', fields.Port, 'Port is required'],
  ['Tags', fields.Tags, 'Tags are required'],
  ['ServiceName', ServiceName, 'Service is required'],
])('%s says that it is required', (_, schema, message) => {
  expect(messages(schema, undefined)).toEqual([message])
})

const hostile = ['\n', '\0', '\r', '\x1b', ';', '$(id)', '`id`', '"', "'", '%0a', '..', '/', '\\']

test.each(
  hostile.flatMap(
    (part) =>
      [
        ['Domain', `sh${part}op.example`, fields.Domain],
        ['Hostname', `we${part}b1`, fields.Hostname],
        ['SystemUser', `ro${part}ot`, fields.SystemUser],
        ['PhpVersion', `8${part}.3`, fields.PhpVersion],
        ['Tier', `sma${part}ll`, fields.Tier],
        ['TlsMode', `no${part}ne`, fields.TlsMode],
        ['ServiceName', `php-fpm:ro${part}ot`, ServiceName],
      ] as [string, string, z.ZodType][],
  ),
)('%s refuses %p', (_, value, schema) => {
  expect(schema.safeParse(value).success).toBe(false)
})

const refused: [string, z.ZodType, unknown][] = [
  ['an empty name', fields.ServerName, '  '],
  ['a name of 65 characters', fields.ServerName, 'n'.repeat(65)],
  ['a name with a newline inside', fields.ServerName, 'a\nb'],
  ['a name with an escape character', fields.ServerName, 'a\x1b[31mb'],
  ['port 0', fields.Port, 0],
  ['port 65536', fields.Port, 65536],
  ['a fraction of a port', fields.Port, 22.5],
  ['a port in a string', fields.Port, '8443'],
  ['a port that is no number', fields.Port, Number.NaN],
  ['a user that begins with a hyphen', fields.SystemUser, '-rf'],
  ['a user that begins with a digit', fields.SystemUser, '1st'],
  ['an upper-case user', fields.SystemUser, 'Root'],
  ['a user of 33 characters', fields.SystemUser, 'u'.repeat(33)],
  ['the user hosting for a site', fields.SiteSystemUser, 'hosting'],
  ['the user of a unit of ours for a site', fields.SiteSystemUser, 'hosting-agent-front'],
  ['the name of a temporary account for a site', fields.SiteSystemUser, 'hosting_tmp_a'],
  ['the repository of the dashboard', RepositoryName, 'hosting-dashboard'],
  ['the folder of a keeper as a repository', RepositoryName, 'hosting-keeper'],
  ['21 tags', fields.Tags, many(21)],
  ['tags twice, once they are trimmed', fields.Tags, ['a', ' a']],
  ['an empty tag', fields.Tags, [' ']],
  ['a tag of 33 characters', fields.Tags, ['t'.repeat(33)]],
  ['tags in a string', fields.Tags, 'a,b'],
  ['a number among the tags', fields.Tags, ['a', 1]],
  ['PHP 8', fields.PhpVersion, '8'],
  ['PHP 8.3.1', fields.PhpVersion, '8.3.1'],
  ['PHP 8.3 as a number', fields.PhpVersion, 8.3],
  ['PHP with a path', fields.PhpVersion, '../8.3'],
  ['a tier in upper case', fields.Tier, 'Small'],
  ['a tier of the prototype', fields.Tier, '__proto__'],
  ['an address with two lines', fields.Email, 'a@example.com\nBcc: b@example.com'],
  ['an address of 255 characters', fields.Email, `${'a'.repeat(243)}@example.com`],
  ['an address with a display name', fields.Email, 'Ann <ann@example.com>'],
  ['two addresses', fields.Email, 'a@example.com,b@example.com'],
  ['a service of nobody', ServiceName, 'php-fpm:'],
  ['another service', ServiceName, 'ssh'],
  ['identifier 0', fields.Id, 0],
  ['an identifier in a string', fields.Id, '1'],
  ['half an identifier', fields.Id, 1.5],
]

test.each(refused)('refuses %s', (_, schema, value) => {
  expect(schema.safeParse(value).success).toBe(false)
})

function messages(schema: z.ZodType, value: unknown): string[] | undefined {
  return schema.safeParse(value).error?.issues.map(({ message }) => message)
}

test.each(['hosting', 'Hosting-x', 'HOSTING_TMP', 'hostingshop'])(
  '%s is a name of ours',
  (name) => {
    expect(fields.isReserved(name)).toBe(true)
  },
)

test.each(['my-hosting', 'hostin', 'host-ing', 'shosting'])('%s is no name of ours', (name) => {
  expect(fields.isReserved(name)).toBe(false)
})

test.each(['root', 'www-data', 'mysql', 'nobody', 'sudo', 'systemd-network', '_apt', '_x'])(
  '%s is a system account, which no site has',
  (name) => {
    expect(fields.SystemUser.safeParse(name).success).toBe(true)
    expect(messages(fields.SiteSystemUser, name)).toEqual([
      'Must not be the name of root or of a system account',
    ])
  },
)

test.each(['backupshop', 'roots', 'shop_tmp', 'mysql2', 'systemdfan'])(
  '%s is no system account',
  (name) => {
    expect(fields.SiteSystemUser.safeParse(name).success).toBe(true)
  },
)
