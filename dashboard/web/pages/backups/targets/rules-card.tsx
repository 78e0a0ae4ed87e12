import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Tag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { rulesQuery, targetsQuery } from '#dashboard/web/api/backups.ts'
import { EVERY } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import type { BackupRule } from '#shared/backups/api/backup-settings.ts'
import { RuleForm } from './rule-form.tsx'
import { useRules } from './use-rules.ts'

type Shown = { rule: BackupRule | undefined }

/** Interval and target for the sites of servers with a tag. */
export function RulesCard() {
  const { data, error, refetch } = useQuery(rulesQuery)
  const rules = data?.rules
  const [shown, setShown] = useState<Shown>()
  const { remove } = useRules()
  const add = (
    <Button icon={<Plus />} onClick={() => setShown({ rule: undefined })}>
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
    <Table
      label="Rules by tag"
      head={
        <>
          <Head>Tag</Head>
          <Head>Interval</Head>
          <Head className="max-sm:hidden">Target</Head>
          <Head className="text-right">
            <span className="sr-only">Actions</span>
          </Head>
        </>
      }
    >
      {rules.map((rule) => (
        <tr key={rule.tag}>
          <Cell>
            <Badge>{rule.tag}</Badge>
            <p className="mt-0.5 text-xs text-muted">{formatCount(rule.servers, 'server')}</p>
          </Cell>
          <Cell>
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
          </Cell>
          <Cell className="max-sm:hidden">{nameOf(targets, rule) ?? <AsForAll />}</Cell>
          <Cell className="text-right">
            <Menu name={`Actions of the rule for ${rule.tag}`}>
              <MenuItem icon={<Pencil />} onClick={() => onEdit(rule)}>
                Edit rule
              </MenuItem>
              <MenuItem danger icon={<Trash2 />} onClick={() => onRemove(rule.tag)}>
                Remove rule
              </MenuItem>
            </Menu>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

const AsForAll = () => <span className="text-muted">as for all sites</span>

const nameOf = (
  targets: readonly { id: number; name: string }[],
  { target_id }: BackupRule,
): string | undefined => targets.find(({ id }) => id === target_id)?.name
