import { ChevronDown, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Select } from '#dashboard/web/ui/field.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { placeOf, useMay } from '#dashboard/web/ui/rights.tsx'
import type { Right } from '#shared/kernel/rights.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { BULK_MENUS, type BulkAction } from './bulk-action.ts'
import { BULK_ACTIONS } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'

interface SelectionBarProps {
  /** The number of selected sites. */
  count: number
  /** The selected sites that match the filters; undefined until that is known. */
  sites: readonly SitePlace[] | undefined
  onClear: () => void
}

const BUTTON = 'max-md:hidden max-xl:[&>svg]:hidden'
const isButton = ({ menu, isDestructive }: BulkAction) => !menu && !isDestructive
const isLast = ({ isDestructive }: BulkAction) => isDestructive === true
const NONE: readonly SitePlace[] = []

/** The number of selected sites, and the actions for those that match the filters. */
export function SelectionBar({ count, sites: known, onClear }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction>()
  const sites = known ?? NONE
  const ids = useMemo(() => new Set(sites.map(({ id }) => id)), [sites])
  const isIdle = ids.size === 0
  const may = useMayOn(sites)
  const actions = BULK_ACTIONS.filter(({ type }) => may(OPERATION_TYPES[type].right))
  const menus = BULK_MENUS.filter((name) => actions.some(({ menu }) => menu === name))
  return (
    <section
      aria-label="Selected sites"
      className="sticky bottom-3 z-20 flex max-w-full flex-wrap items-center justify-center gap-1 self-center rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
    >
      <span role="status" className="px-2 font-medium tabular-nums">
        <SelectedCount count={count} shown={known?.length} />
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

/** Returns whether the user has a right on each of the sites; each right is looked up once. */
function useMayOn(sites: readonly SitePlace[]): (right: Right) => boolean {
  const may = useMay()
  const known = new Map<Right, boolean>()
  return (right) => {
    const found =
      known.get(right) ?? (may(right, 'fleet') || sites.every((site) => may(right, placeOf(site))))
    known.set(right, found)
    return found
  }
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
