import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Tag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { BACKUPS, changeRules, rulesQuery, targetsQuery } from '#dashboard/web/api/backups.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import {
  BackupFirstField,
  IntervalField,
  PerServerField,
  TargetField,
} from '#dashboard/web/features/backups/fields.tsx'
import { EVERY } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type {
  BackupRule,
  BackupSettings,
  SetBackupRules,
} from '#shared/backups/api/backup-settings.ts'

type Shown = { rule: BackupRule | undefined }

/** Interval and target for the sites of servers with a tag. */
export function RulesCard() {
  const { data, error, refetch } = useQuery(rulesQuery)
  const rules = data?.rules
  const [shown, setShown] = useState<Shown>()
  const { remove } = useRules()
  const add = (
    <Button needs="admin" icon={<Plus />} onClick={() => setShown({ rule: undefined })}>
      Add rule
    </Button>
  )
  return (
    <Card title="Rules by tag" flush actions={rules && rules.length > 0 && add}>
      <QueryState of={{ data, error, refetch }} flush />
      {rules?.length === 0 && (
        <Empty icon={<Tag />} title="There is no rule" action={add}>
          A rule sets interval and target for the sites of all servers with a tag. A site with
          values of its own keeps them.
        </Empty>
      )}
      {rules && rules.length > 0 && (
        <>
          <p className="px-4 pt-3 text-muted">
            If a server has several of these tags, the first rule with a value is used. A site with
            values of its own keeps them.
          </p>
          <Rules rules={rules} onEdit={(rule) => setShown({ rule })} onRemove={remove} />
        </>
      )}
      {shown && (
        <RuleForm
          key={shown.rule?.tag ?? ''}
          open
          rule={shown.rule}
          onClose={() => setShown(undefined)}
        />
      )}
    </Card>
  )
}

interface RulesProps {
  rules: readonly BackupRule[]
  onEdit: (rule: BackupRule) => void
  onRemove: (tag: string) => void
}

function Rules({ rules, onEdit, onRemove }: RulesProps) {
  const { data: targets = [] } = useQuery(targetsQuery)
  return (
    <RecordTable
      label="Rules by tag"
      rows={rules}
      keyOf={({ tag }) => tag}
      columns={[
        {
          name: 'Tag',
          show: ({ tag, servers }) => (
            <>
              <Badge>{tag}</Badge>
              <p className="mt-0.5 text-xs text-muted">{formatCount(servers, 'server')}</p>
            </>
          ),
        },
        {
          name: 'Interval',
          show: (rule) => (
            <>
              {rule.every === 'default' ? <AsForAll /> : EVERY[rule.every]}
              <p className="text-xs text-muted sm:hidden">{nameOf(targets, rule)}</p>
              {rule.per_server !== null && (
                <p className="text-xs text-muted">
                  {formatCount(rule.per_server, 'backup')} at the same time on a server
                </p>
              )}
              {rule.backup_first !== null && (
                <p className="text-xs text-muted">
                  {rule.backup_first ? 'Backup before changes' : 'No backup before changes'}
                </p>
              )}
            </>
          ),
        },
        {
          name: 'Target',
          className: 'max-sm:hidden',
          show: (rule) => nameOf(targets, rule) ?? <AsForAll />,
        },
        {
          name: 'Actions',
          isUnnamed: true,
          className: 'text-right',
          show: (rule) => (
            <Menu needs="admin" name={`Actions of the rule for ${rule.tag}`}>
              <MenuItem needs="admin" icon={<Pencil />} onClick={() => onEdit(rule)}>
                Edit rule
              </MenuItem>
              <MenuItem needs="admin" danger icon={<Trash2 />} onClick={() => onRemove(rule.tag)}>
                Remove rule
              </MenuItem>
            </Menu>
          ),
        },
      ]}
    />
  )
}

const AsForAll = () => <span className="text-muted">as for all sites</span>

const nameOf = (
  targets: readonly { id: number; name: string }[],
  { target_id }: BackupRule,
): string | undefined => targets.find(({ id }) => id === target_id)?.name

interface RuleFormProps extends DialogState {
  /** The rule to edit; undefined for a new one. */
  rule: BackupRule | undefined
}

function RuleForm({ rule, ...dialog }: RuleFormProps) {
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
        <SelectField
          name="tag"
          label="Tag"
          hint={
            options.length === 0
              ? 'No server has another tag. Add one on the page of a server.'
              : 'For the sites of all servers with this tag.'
          }
          value={tag}
          disabled={rule !== undefined}
          options={[{ value: '', name: 'Choose…' }, ...named(...options)]}
          onChange={setTag}
        />
        <IntervalField value={every} onChange={setEvery} fallback="As for all sites" />
        <TargetField
          targets={targets}
          value={target_id}
          onChange={setTarget}
          fallback="The default target"
        />
        <BackupFirstField value={backup_first} onChange={setFirst} fallback="As for all sites" />
        <PerServerField value={per_server} onChange={setPerServer} fallback="As for all servers" />
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

type Rule = SetBackupRules['rules'][number]

/** Saves or removes one rule. */
function useRules() {
  const { data } = useQuery(rulesQuery)
  const client = useQueryClient()
  const known = (data?.rules ?? []).map(({ servers: _, ...rule }): Rule => rule)
  const without = (tag: string) => known.filter((rule) => rule.tag !== tag)
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (rules: Rule[]) => changeRules({ rules, version: data?.version ?? '' }),
    // Also after a refusal: somebody else may have changed them.
    onSettled: () => void client.invalidateQueries({ queryKey: BACKUPS }),
  })
  return {
    save: (rule: Rule) => mutateAsync([...without(rule.tag), rule]),
    remove: (tag: string) => {
      mutateAsync(without(tag)).then(() => toast(`The rule for ${tag} is removed`), toastError)
    },
    isPending,
    error,
  }
}
