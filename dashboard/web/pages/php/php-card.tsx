import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { extensionsQuery } from '#dashboard/web/api/servers.ts'
import { ChangeDialog } from '#dashboard/web/features/php/change-dialog.tsx'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { useServerOf } from '#dashboard/web/features/sites/use-server.ts'
import { TIER_TEXTS } from '#dashboard/web/labels/site.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { supportEnds } from '#shared/php/php-support.ts'

/** The PHP version and the tier of a managed site, and how to change them. */
export function PhpCard({ site, isOnServer }: TabProps) {
  const [change, setChange] = useState<'tier' | 'php'>()
  const server = useServerOf(site)
  const { server_id } = site
  const seesServer = useMay()('read', { server_id })
  const { data: installed } = useQuery({ ...extensionsQuery(server_id), enabled: seesServer })
  const extensions = installed?.find(({ version }) => version === site.php)?.extensions
  const ends = server && site.php ? supportEnds(site.php, server.os) : undefined
  return (
    <Card
      title="PHP"
      actions={
        isOnServer && (
          <>
            <Button needs="operate" onClick={() => setChange('tier')}>
              Change tier
            </Button>
            <Button needs="operate" onClick={() => setChange('php')}>
              Change PHP
            </Button>
          </>
        )
      }
    >
      <Facts
        of={{
          ...(site.tier && {
            Tier: (
              <>
                {site.tier}
                <p className="text-xs text-muted">{TIER_TEXTS[site.tier]}</p>
              </>
            ),
          }),
          Version: site.php ? <Php version={site.php} ends={ends} /> : 'none',
          ...(extensions &&
            extensions.length > 0 && {
              Extensions: <span className="text-xs break-words">{extensions.join(', ')}</span>,
            }),
        }}
      />
      <ChangeDialog site={site} what={change} onClose={() => setChange(undefined)} />
    </Card>
  )
}

function Php({ version, ends }: { version: string; ends: string | undefined }) {
  const isOver = ends !== undefined && Date.parse(ends) < Date.now()
  return (
    <span className="flex flex-wrap items-center gap-2">
      {version}
      {isOver && <Badge tone="bad">no more security fixes</Badge>}
      {ends && !isOver && (
        <span className="text-xs text-muted">
          security fixes end <Time at={`${ends}T00:00:00.000Z`} />
        </span>
      )}
    </span>
  )
}
