import { object, z } from 'zod'

/**
 * The maintenance state of a server: updates, programs that still run replaced files, and services
 * that systemd had to restart. An agent reports it, and the dashboard stores the last report.
 */
const moment = z.iso.datetime().max(40)
/** One line: it comes from another machine, and is shown to people. */
const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u)
const MOST_PACKAGES = 3000
const MOST_PROGRAMS = 2000

export const PendingPackage = object({
  name: line(200),
  installed: line(200).describe('Empty for one that comes new, as a kernel does.'),
  candidate: line(200),
  security: z.boolean().describe('Whether it comes from Debian’s security updates.'),
}).meta({ id: 'PendingPackage', description: 'A package that has a newer version.' })
export type PendingPackage = z.infer<typeof PendingPackage>

const OLD_FILES_KINDS = ['site', 'service', 'agent', 'other'] as const

export const OldFilesProgram = object({
  name: line(200).describe(
    'As the services of the server are named: nginx, mariadb, cron, php-fpm:<user>; another one by its unit.',
  ),
  kind: z
    .enum(OLD_FILES_KINDS)
    .describe('Sites, nginx, cron and the agent are restarted by themselves.'),
  domain: line(255).describe('Of a site, else empty.'),
  since: moment.describe('When it was noticed.'),
  problem: line(500).describe('Why its last restart failed, or what it waits for; may be empty.'),
}).meta({
  id: 'OldFilesProgram',
  description: 'A program that runs files which an update has replaced.',
})
export type OldFilesProgram = z.infer<typeof OldFilesProgram>

export const ServiceRestarts = object({
  name: line(200),
  count: z.int().nonnegative().max(1_000_000),
  last_at: moment.describe('When it was noticed last.'),
}).meta({
  id: 'ServiceRestarts',
  description: 'A service that ended by itself and was started again, within the last hour.',
})
export type ServiceRestarts = z.infer<typeof ServiceRestarts>

const UNATTENDED_SOURCES = ['hosting-control', 'administrator', 'none'] as const

export const Unattended = object({
  enabled: z.boolean().describe('Whether security updates are installed by themselves.'),
  wanted: z
    .boolean()
    .nullable()
    .describe('What our configuration asks for; null where there is none.'),
  source: z
    .enum(UNATTENDED_SOURCES)
    .describe('Whose configuration of unattended-upgrades is in effect.'),
  detail: line(500).describe('Why it is so, where that is not plain; may be empty.'),
}).meta({ id: 'Unattended', description: 'Unattended security updates of a server.' })
export type Unattended = z.infer<typeof Unattended>

export const Reboot = object({ needed: z.boolean(), reasons: z.array(line(200)).max(100) }).meta({
  id: 'Reboot',
  description: 'Whether a server needs a reboot, and what for.',
})
export type Reboot = z.infer<typeof Reboot>

export const LastUpdate = object({
  at: moment,
  packages: z.array(line(200)).max(MOST_PACKAGES),
}).meta({ id: 'LastUpdate', description: 'The last time that packages were upgraded.' })
export type LastUpdate = z.infer<typeof LastUpdate>

export const Maintenance = object({
  checked_at: moment,
  lists_at: moment
    .nullable()
    .describe('When the package lists were read last; null when they never were.'),
  packages: z.array(PendingPackage).max(MOST_PACKAGES),
  packages_problem: line(500).describe('Why pending updates are not known; empty when they are.'),
  reboot: Reboot,
  old_files: z.array(OldFilesProgram).max(MOST_PROGRAMS),
  restarts: z.array(ServiceRestarts).max(MOST_PROGRAMS),
  unattended: Unattended,
  last_update: LastUpdate.nullable(),
}).meta({ id: 'Maintenance', description: 'Updates of a server, and what they wait for.' })
export type Maintenance = z.infer<typeof Maintenance>

/** The message of a program, shortened for a report. */
export const oneLine = (text: string, most = 500): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, most)

/** Null before the first check. */
export const MaintenanceAnswer = z.object({ maintenance: Maintenance.nullable() })
