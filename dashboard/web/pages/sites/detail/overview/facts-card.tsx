import type { Site } from '#dashboard/web/api/sites.ts'
import { muted, Text } from '#dashboard/web/features/sites/fact.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatBytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unknownText } from '#dashboard/web/ui/unknown-text.ts'
import type { DiskUse as Use } from '#shared/servers/api/disk-use.ts'
import { diskLevelOf, usedBytes } from '#shared/servers/disk-levels.ts'

const FRAMEWORKS = {
  wordpress: 'WordPress',
  php: 'PHP',
  static: 'Static files',
}

export function FactsCard({ site }: { site: Site }) {
  const { server, server_id, user, docroot, email, framework, created_at } = site
  const { found, php, health, unknown } = site
  return (
    <Card title="Details">
      <Facts
        of={{
          Server: (
            <ServerLink id={server_id} className="text-accent hover:underline">
              {server}
            </ServerLink>
          ),
          Type:
            framework === 'unknown'
              ? muted(unknownText(unknown, 'framework') ?? 'unknown')
              : FRAMEWORKS[framework],
          ...(found && { PHP: php || muted(unknownText(unknown, 'php') ?? 'none') }),
          ...(found && health === null && { Health: 'not checked' }),
          'System user': <Text of={user} what="the system user" />,
          Folder: <Text of={docroot} what="the folder" unknown={unknownText(unknown, 'docroot')} />,
          ...(!found && { Disk: <DiskUse of={site.disk} /> }),
          ...(!found && { 'E-mail address': email || muted('–') }),
          [found ? 'First found' : 'Created']: <Time at={created_at} />,
        }}
      />
    </Card>
  )
}

const LEVELS = {
  over: { tone: 'bad', text: 'over its limit' },
  near: { tone: 'warn', text: 'near its limit' },
  unknown: { tone: 'warn', text: 'could not be measured' },
} as const

/** The disk use of the site, the limits of its tier, and the time of the measurement. */
function DiskUse({ of }: { of: Use | null }) {
  if (!of) return muted('unknown: not measured')
  const level = diskLevelOf(of)
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        {amount(usedBytes(of), formatBytes)} of {formatBytes(of.limit_bytes)}
        {level && <Badge tone={LEVELS[level].tone}>{LEVELS[level].text}</Badge>}
      </span>
      <p className="text-xs text-muted">
        Files {amount(of.bytes, formatBytes)}, database {amount(of.database_bytes, formatBytes)}
      </p>
      <p className="text-xs text-muted">
        {amount(of.files, formatNumber)} of {formatNumber(of.limit_files)} files and folders
      </p>
      <p className="text-xs text-muted">
        Measured <Time at={of.measured_at} />
      </p>
    </>
  )
}

const amount = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? 'unknown' : format(value)
