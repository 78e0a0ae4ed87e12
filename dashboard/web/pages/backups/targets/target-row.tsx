import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil, Search, ShieldCheck, Star, Trash2 } from 'lucide-react'
import { BACKUPS, changeTarget } from '#dashboard/web/api/backups.ts'
import { DELETION_ADVICE, KIND_NAMES, placeName } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { KeeperStatus } from './keeper-status.tsx'

type Act = (target: BackupTargetView) => void

export interface TargetActions {
  onCheck: Act
  onEdit: Act
  onFind: Act
  onRemove: Act
}

/** One target, with what can be done to it. */
export function TargetRow({ target, ...actions }: TargetActions & { target: BackupTargetView }) {
  const { name, place, is_default, checked_at, append_only, backups } = target
  return (
    <tr>
      <Cell>
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-words">{name}</span>
          {is_default && <Badge tone="busy">default</Badge>}
          <Deletion target={target} />
        </span>
        <p className="text-xs break-all text-muted">
          {KIND_NAMES[place.kind]}, {placeName(place)}
        </p>
        {append_only === false && (
          <p className="mt-1 text-xs">Advice: {DELETION_ADVICE[place.kind]}</p>
        )}
        <KeeperStatus target={target} />
        <p className="text-xs text-muted sm:hidden">
          checked <Time at={checked_at} />
        </p>
      </Cell>
      <Cell className="max-sm:hidden">
        <Time at={checked_at} />
      </Cell>
      <Cell className="text-right tabular-nums max-sm:hidden">{formatNumber(backups)}</Cell>
      <Cell>
        <Actions target={target} {...actions} />
      </Cell>
    </tr>
  )
}

function Deletion({ target: { append_only } }: { target: BackupTargetView }) {
  if (append_only === null) return <Badge>not checked</Badge>
  if (append_only) return <Badge tone="good">refuses deletion</Badge>
  return <Badge tone="warn">can be deleted by servers</Badge>
}

function Actions({
  target,
  onCheck,
  onEdit,
  onFind,
  onRemove,
}: TargetActions & { target: BackupTargetView }) {
  const { id, name, is_default, checked_at } = target
  const client = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: () => changeTarget(id, { is_default: true }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: BACKUPS })
      toast(`Sites are backed up to ${name} now`)
    },
    onError: toastError,
  })
  return (
    <div className="flex justify-end gap-2">
      <Button
        kind={checked_at === null ? 'primary' : 'plain'}
        className="max-sm:hidden"
        aria-label={`Check ${name} from a server`}
        onClick={() => onCheck(target)}
      >
        Check
      </Button>
      <Menu name={`More actions of ${name}`}>
        <MenuItem icon={<ShieldCheck />} onClick={() => onCheck(target)}>
          Check from a server
        </MenuItem>
        <MenuItem icon={<Pencil />} onClick={() => onEdit(target)}>
          Edit target
        </MenuItem>
        <MenuItem icon={<Search />} onClick={() => onFind(target)}>
          Find existing backups
        </MenuItem>
        <MenuItem icon={<Star />} disabled={is_default} onClick={() => mutate()}>
          Make default
        </MenuItem>
        <MenuItem icon={<Trash2 />} danger onClick={() => onRemove(target)}>
          Remove target
        </MenuItem>
      </Menu>
    </div>
  )
}
