import { SelectField } from '#dashboard/web/ui/field.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import type { UserRights } from '#shared/database/database-user.ts'

const OPTIONS = optionsOf<UserRights>({ read: 'Read', write: 'Read and write' })
const HINTS: Record<UserRights, string> = {
  read: 'Reads everything that the site stores, and changes nothing.',
  write:
    'Has the rights of the site itself: it can change and remove tables. If the site has an object cache, flush it afterwards.',
}

interface RightsFieldProps {
  value: UserRights
  onChange: (rights: UserRights) => void
}

/** What a temporary user of a database may do. */
export const RightsField = (props: RightsFieldProps) => (
  <SelectField
    {...props}
    label="Rights"
    name="rights"
    hint={HINTS[props.value]}
    options={OPTIONS}
  />
)
