import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { supportEnds } from '#shared/php-support.ts'
import { TIERS } from '#shared/values.ts'
import { serverQuery } from '../../api/servers.ts'
import { changeSite } from '../../api/site-work.ts'
import type { Site } from '../../api/sites.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { TIER_WORDS } from './words.ts'
import { WorkDialog } from './work-dialog.tsx'

/** The tier and the PHP version, and the way to others. */
export function ResourcesCard({ site, isThere }: { site: Site; isThere: boolean }) {
  const [change, setChange] = useState<'tier' | 'php'>()
  const { data: server } = useQuery(serverQuery(site.server_id))
  const ends = server && site.php ? supportEnds(site.php, server.os) : undefined
  const canChange = isThere && site.managed
  return (
    <Card
      title="Resources"
      actions={
        canChange && (
          <>
            <Button onClick={() => setChange('tier')}>Change tier</Button>
            <Button onClick={() => setChange('php')}>Change PHP</Button>
          </>
        )
      }
    >
      <Facts
        of={{
          Tier: (
            <>
              {site.tier}
              <p className="text-xs text-muted">{TIER_WORDS[site.tier]}</p>
            </>
          ),
          PHP: site.php ? <Php version={site.php} ends={ends} /> : 'none',
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

interface ChangeDialogProps {
  site: Site
  what: 'tier' | 'php' | undefined
  onClose: () => void
}

function ChangeDialog({ site, what: asked, onClose }: ChangeDialogProps) {
  const what = asked ?? 'tier'
  const [chosen, setChosen] = useState('')
  const { data: server } = useQuery(serverQuery(site.server_id))
  const isTier = what === 'tier'
  const options = (isTier ? TIERS : (server?.php_versions ?? [])).filter(
    (value) => value !== site[what],
  )
  const value = options.find((option) => option === chosen)
  const close = () => {
    setChosen('')
    onClose()
  }
  return (
    <WorkDialog
      open={asked !== undefined}
      onClose={close}
      title={isTier ? `Change the tier of ${site.domain}` : `Change PHP of ${site.domain}`}
      about={
        isTier
          ? `Now ${site.tier}. Its PHP is reloaded; requests under way end first.`
          : `Now ${site.php}. Plugins and themes must work with the other version.`
      }
      site={site}
      work={value === undefined ? undefined : changeSite(site, { [what]: value })}
      action={isTier ? 'Change tier' : 'Change PHP'}
    >
      <Field
        label={isTier ? 'Tier' : 'PHP version'}
        name={what}
        hint={hintOf(isTier ? value : undefined, options)}
      >
        <Select value={chosen} onChange={(event) => setChosen(event.target.value)} autoFocus>
          <option value="">Choose…</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      </Field>
    </WorkDialog>
  )
}

function hintOf(tier: string | undefined, options: readonly string[]): string {
  if (options.length === 0)
    return 'The server has no other version. Install one by provisioning the server.'
  const words: Record<string, string> = TIER_WORDS
  return (tier && words[tier]) ?? ''
}
