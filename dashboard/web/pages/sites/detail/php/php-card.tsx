import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { extensionsQuery, serverQuery } from '#dashboard/web/api/servers.ts'
import { changeSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { TIER_TEXTS } from '#dashboard/web/labels/site.ts'
import type { TabProps } from '#dashboard/web/pages/sites/detail/tabs.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { supportEnds } from '#shared/php-support.ts'
import { TIERS } from '#shared/values.ts'

/** The PHP version and the tier of a managed site, and how to change them. */
export function PhpCard({ site, isOnServer }: TabProps) {
  const [change, setChange] = useState<'tier' | 'php'>()
  const { data: server } = useQuery(serverQuery(site.server_id))
  const { data: installed } = useQuery(extensionsQuery(site.server_id))
  const extensions = installed?.find(({ version }) => version === site.php)?.extensions
  const ends = server && site.php ? supportEnds(site.php, server.os) : undefined
  return (
    <Card
      title="PHP"
      actions={
        isOnServer && (
          <>
            <Button onClick={() => setChange('tier')}>Change tier</Button>
            <Button onClick={() => setChange('php')}>Change PHP</Button>
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

interface ChangeDialogProps {
  site: Site
  what: 'tier' | 'php' | undefined
  onClose: () => void
}

/** A change of tier or PHP version, with its plan. */
function ChangeDialog({ site, what: requested, onClose }: ChangeDialogProps) {
  const what = requested ?? 'tier'
  const [chosen, setChosen] = useState('')
  const [without_backup, setWithout] = useState(false)
  const { data: server } = useQuery(serverQuery(site.server_id))
  const isTier = what === 'tier'
  const options = (isTier ? TIERS : (server?.php_versions ?? [])).filter(
    (value) => value !== site[what],
  )
  const value = options.find((option) => option === chosen)
  const close = () => {
    setChosen('')
    setWithout(false)
    onClose()
  }
  return (
    <WorkDialog
      open={requested !== undefined}
      onClose={close}
      title={isTier ? `Change the tier of ${site.domain}` : `Change PHP of ${site.domain}`}
      about={
        isTier
          ? `Current tier: ${site.tier}. PHP is reloaded; running requests end first.`
          : `Current version: ${site.php}. Plugins and themes must work with the other version.`
      }
      site={site}
      work={value === undefined ? undefined : changeSite(site, { [what]: value, without_backup })}
      action={isTier ? 'Change tier' : 'Change PHP'}
    >
      <Field
        label={isTier ? 'Tier' : 'PHP version'}
        name={what}
        hint={hintOf(isTier ? value : undefined, options)}
      >
        <Select value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">Choose…</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      </Field>
      {!isTier && (
        <BeforeChange
          site={site}
          label="Change PHP without a backup"
          checked={without_backup}
          onChange={setWithout}
        />
      )}
    </WorkDialog>
  )
}

function hintOf(tier: string | undefined, options: readonly string[]): string {
  if (options.length === 0)
    return 'The server has no other version. Install one by provisioning the server.'
  const texts: Record<string, string> = TIER_TEXTS
  return (tier && texts[tier]) ?? ''
}
