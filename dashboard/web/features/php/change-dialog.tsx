import { useState } from 'react'
import { changeSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { useServerOf } from '#dashboard/web/features/sites/use-server.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { TIER_TEXTS } from '#dashboard/web/labels/site.ts'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { TIERS } from '#shared/kernel/values.ts'

interface ChangeDialogProps {
  site: Site
  what: 'tier' | 'php' | undefined
  /** The tier that is chosen at first. */
  tier?: Tier
  onClose: () => void
}

/** A change of tier or PHP version, with its plan. */
export function ChangeDialog({ site, what: requested, tier, onClose }: ChangeDialogProps) {
  const what = requested ?? 'tier'
  const [chosen, setChosen] = useState<string>(tier ?? '')
  const [without_backup, setWithout] = useState(false)
  const server = useServerOf(site)
  const isTier = what === 'tier'
  const options = (isTier ? TIERS : (server?.php_versions ?? [])).filter(
    (value) => value !== site[what],
  )
  const value = options.find((option) => option === chosen)
  const close = () => {
    setChosen(tier ?? '')
    setWithout(false)
    onClose()
  }
  return (
    <WorkDialog
      open={requested !== undefined}
      onClose={close}
      title={
        isTier
          ? `Change the tier of ${unicodeOf(site.domain)}`
          : `Change PHP of ${unicodeOf(site.domain)}`
      }
      about={
        isTier
          ? `Current tier: ${site.tier}. PHP is reloaded; running requests end first.`
          : `Current version: ${site.php}. Plugins and themes must work with the other version.`
      }
      site={site}
      work={value === undefined ? undefined : changeSite(site, { [what]: value, without_backup })}
      action={isTier ? 'Change tier' : 'Change PHP'}
    >
      <SelectField
        label={isTier ? 'Tier' : 'PHP version'}
        name={what}
        hint={hintOf(isTier ? value : undefined, options)}
        value={chosen}
        options={[{ value: '', name: 'Choose…' }, ...named(...options)]}
        onChange={setChosen}
      />
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
