import { object, z } from 'zod'
import { singleLine } from '#shared/kernel/fields.ts'

/**
 * The maintenance state of a server: updates, programs that still run replaced files, and services
 * that systemd had to restart. An agent reports it, and the dashboard stores the last report.
 */
const moment = z.iso.datetime().max(40)
const MAX_PACKAGES = 3000
const MAX_PROGRAMS = 2000

export const PendingPackage = object({
  name: singleLine(200),
  installed: singleLine(200).describe('Empty for a new package, such as a kernel.'),
  candidate: singleLine(200),
  security: z.boolean().describe('Whether it is a security update of Debian.'),
}).meta({ id: 'PendingPackage', description: 'A package with a newer version.' })
export type PendingPackage = z.infer<typeof PendingPackage>

const OLD_FILES_KINDS = ['site', 'service', 'agent', 'other'] as const

export const OldFilesProgram = object({
  name: singleLine(200).describe(
    'The name of the service, such as nginx, mariadb, cron or php-fpm:<user>; for others, the unit.',
  ),
  kind: z
    .enum(OLD_FILES_KINDS)
    .describe('Sites, nginx, cron and the agent are restarted automatically.'),
  domain: singleLine(255).describe('Of the site, else empty.'),
  since: moment.describe('When it was noticed.'),
  problem: singleLine(500).describe(
    'Why its last restart failed, or what it waits for; may be empty.',
  ),
}).meta({ id: 'OldFilesProgram', description: 'A program that runs replaced files.' })
export type OldFilesProgram = z.infer<typeof OldFilesProgram>

export const ServiceRestarts = object({
  name: singleLine(200),
  count: z.int().nonnegative().max(1_000_000),
  last_at: moment.describe('When the last restart was noticed.'),
}).meta({
  id: 'ServiceRestarts',
  description: 'A service that failed and was started again within the last hour.',
})
export type ServiceRestarts = z.infer<typeof ServiceRestarts>

const UNATTENDED_SOURCES = ['hosting-control', 'administrator', 'none'] as const

export const Unattended = object({
  enabled: z.boolean().describe('Whether security updates are installed automatically.'),
  wanted: z
    .boolean()
    .nullable()
    .describe('The value in the configuration of Hosting Control; null without one.'),
  source: z
    .enum(UNATTENDED_SOURCES)
    .describe('Whose configuration of unattended-upgrades is in effect.'),
  detail: singleLine(500).describe('The reason, if it is not obvious; may be empty.'),
}).meta({ id: 'Unattended', description: 'Unattended security updates of a server.' })
export type Unattended = z.infer<typeof Unattended>

export const Reboot = object({
  needed: z.boolean(),
  reasons: z.array(singleLine(200)).max(100),
}).meta({
  id: 'Reboot',
  description: 'Whether a server needs a reboot, and why.',
})
export type Reboot = z.infer<typeof Reboot>

export const LastUpdate = object({
  at: moment,
  packages: z.array(singleLine(200)).max(MAX_PACKAGES),
}).meta({ id: 'LastUpdate', description: 'The last time that packages were upgraded.' })
export type LastUpdate = z.infer<typeof LastUpdate>

export const Maintenance = object({
  checked_at: moment,
  lists_at: moment.nullable().describe('When the package lists were last read; null: never.'),
  packages: z.array(PendingPackage).max(MAX_PACKAGES),
  packages_problem: singleLine(500).describe(
    'Why pending updates are unknown; empty if they are known.',
  ),
  reboot: Reboot,
  old_files: z.array(OldFilesProgram).max(MAX_PROGRAMS),
  restarts: z.array(ServiceRestarts).max(MAX_PROGRAMS),
  unattended: Unattended,
  last_update: LastUpdate.nullable(),
}).meta({ id: 'Maintenance', description: 'Pending updates of a server, and outdated programs.' })
export type Maintenance = z.infer<typeof Maintenance>

/** The message of a program, shortened for a report. */
export const oneLine = (text: string, most = 500): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, most)

/** The answer of an agent about maintenance; null before the first check. */
export const MaintenanceAnswer = z.object({ maintenance: Maintenance.nullable() })
