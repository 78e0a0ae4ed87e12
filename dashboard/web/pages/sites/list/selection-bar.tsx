import { ChevronDown, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Select } from '#dashboard/web/ui/field.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { BULK_MENUS, type BulkAction } from './bulk-action.ts'
import { BULK_ACTIONS } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'

interface SelectionBarProps {
  /** The number of selected sites. */
  count: number
  /** The selected sites that match the filters; undefined until that is known. */
  ids: ReadonlySet<number> | undefined
  onClear: () => void
}

const BUTTON = 'max-md:hidden max-xl:[&>svg]:hidden'
const isButton = ({ menu, isDestructive }: BulkAction) => !menu && !isDestructive
const isLast = ({ isDestructive }: BulkAction) => isDestructive === true
const NONE: ReadonlySet<number> = new Set()

/** The number of selected sites, and the actions for those that match the filters. */
export function SelectionBar({ count, ids: known, onClear }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction>()
  const ids = known ?? NONE
  const isIdle = ids.size === 0
  const may = useMay()
  const actions = BULK_ACTIONS.filter(({ type }) => may(OPERATION_TYPES[type].right))
  const menus = BULK_MENUS.filter((name) => actions.some(({ menu }) => menu === name))
  return (
    <section
      aria-label="Selected sites"
      className="sticky bottom-3 z-20 flex max-w-full flex-wrap items-center justify-center gap-1 self-center rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
    >
      <span role="status" className="px-2 font-medium tabular-nums">
        <SelectedCount count={count} shown={known?.size} />
      </span>
      {actions.filter(isButton).map((each) => (
        <ActionButton key={each.name} {...each} disabled={isIdle} onClick={() => setAction(each)} />
      ))}
      {menus.map((name) => (
        <Menu
          key={name}
          name={name}
          button={
            <Button kind="quiet" icon={<ChevronDown />} disabled={isIdle} className={BUTTON}>
              {name}
            </Button>
          }
        >
          {actions
            .filter(({ menu }) => menu === name)
            .map((each) => (
              <MenuItem key={each.name} icon={<each.icon />} onClick={() => setAction(each)}>
                {each.name}
              </MenuItem>
            ))}
        </Menu>
      ))}
      {actions.filter(isLast).map((each) => (
        <ActionButton key={each.name} {...each} disabled={isIdle} onClick={() => setAction(each)} />
      ))}
      <Select
        aria-label="Actions for the selected sites"
        value=""
        disabled={isIdle}
        onChange={({ target }) => setAction(actions.find(({ name }) => name === target.value))}
        className="w-auto! min-w-0 flex-1 md:hidden"
      >
        <option value="">Actions</option>
        {actions.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
      <BulkDialog
        action={action}
        ids={ids}
        onClose={() => setAction(undefined)}
        onStarted={onClear}
      />
    </section>
  )
}

interface ActionButtonProps extends Pick<BulkAction, 'name' | 'icon'> {
  disabled: boolean
  onClick: () => void
}

function ActionButton({ name, icon: Icon, disabled, onClick }: ActionButtonProps) {
  return (
    <Button kind="quiet" icon={<Icon />} disabled={disabled} onClick={onClick} className={BUTTON}>
      {name}
    </Button>
  )
}

/** Sites that the filters hide stay selected, and no action applies to them. */
function SelectedCount({ count, shown = count }: { count: number; shown: number | undefined }) {
  const hidden = count - shown
  const selected = `${formatNumber(count)} selected`
  return hidden === 0 ? selected : `${selected}, ${formatNumber(hidden)} hidden by filters`
}
