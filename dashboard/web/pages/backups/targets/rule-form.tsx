import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rulesQuery, targetsQuery } from '#dashboard/web/api/backups.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { BackupFirstField } from '#dashboard/web/features/backups/backup-first-field.tsx'
import {
  IntervalField,
  PerServerField,
  TargetField,
} from '#dashboard/web/features/backups/fields.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { BackupRule, BackupSettings } from '#shared/backups/api/backup-settings.ts'
import { useRules } from './use-rules.ts'

interface RuleFormProps extends DialogState {
  /** Undefined: a new one. */
  rule: BackupRule | undefined
}

export function RuleForm({ rule, ...dialog }: RuleFormProps) {
  const tags = useFreeTags()
  const { data: targets = [] } = useQuery(targetsQuery)
  const [tag, setTag] = useState(rule?.tag ?? '')
  const [every, setEvery] = useState<BackupSettings['every']>(rule?.every ?? 'default')
  const [target_id, setTarget] = useState(rule?.target_id ?? null)
  const [backup_first, setFirst] = useState(rule?.backup_first ?? null)
  const [per_server, setPerServer] = useState(rule?.per_server ?? null)
  const { save, isPending, error } = useRules()
  const submit = async () => {
    await save({ tag, every, target_id, backup_first, per_server })
    toast(`The rule for ${tag} is saved`)
    dialog.onClose()
  }
  const options = rule ? [rule.tag] : tags
  return (
    <Dialog {...dialog} title={rule ? `Rule for ${rule.tag}` : 'Add rule'}>
      <DialogForm
        action="Save rule"
        onSubmit={() => void submit().catch(() => undefined)}
        onCancel={dialog.onClose}
        isBlocked={tag === ''}
        isBusy={isPending}
        error={error}
      >
        <Field
          name="tag"
          label="Tag"
          hint={
            options.length === 0
              ? 'No server has another tag. Add one on the page of a server.'
              : 'For the sites of all servers with this tag.'
          }
        >
          <Select
            value={tag}
            disabled={rule !== undefined}
            onChange={({ target }) => setTag(target.value)}
          >
            <option value="">Choose…</option>
            {options.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        </Field>
        <IntervalField
          value={every}
          onChange={setEvery}
          fallback="As for all sites"
          error={undefined}
        />
        <TargetField
          targets={targets}
          value={target_id}
          onChange={setTarget}
          fallback="The default target"
          error={undefined}
        />
        <BackupFirstField
          value={backup_first}
          onChange={setFirst}
          fallback="As for all sites"
          error={undefined}
        />
        <PerServerField
          value={per_server}
          onChange={setPerServer}
          fallback="As for all servers"
          error={undefined}
        />
      </DialogForm>
    </Dialog>
  )
}

/** The tags of servers that have no rule yet. */
function useFreeTags(): string[] {
  const { data: fleet } = useQuery(fleetQuery)
  const { data } = useQuery(rulesQuery)
  const rules = data?.rules ?? []
  const all = new Set((fleet?.servers ?? []).flatMap(({ tags }) => tags))
  return [...all].filter((tag) => !rules.some((rule) => rule.tag === tag)).sort()
}
