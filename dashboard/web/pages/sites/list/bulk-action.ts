import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Option } from '#dashboard/web/ui/option.ts'
import type { SiteBulkType } from '#shared/operation-types.ts'
import type { ParamsProps } from './debounced-params.ts'

export const BULK_MENUS = ['Settings', 'More'] as const
type BulkMenu = (typeof BULK_MENUS)[number]

export interface BulkAction {
  type: SiteBulkType
  /** On the button. */
  name: string
  icon: LucideIcon
  /** Its effect on each site. */
  about: string
  /** The parameter that the user chooses. */
  param?: {
    name: string
    label: string
    options: readonly Option[]
    /** Default: the value of the option. */
    toParam?: (value: string) => unknown
  }
  /** The fields of other parameters. */
  fields?: ComponentType<ParamsProps>
  /** The menu that has it; default: a button. */
  menu?: BulkMenu
  isDestructive?: true
}
