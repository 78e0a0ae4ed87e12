import { CheckField } from '#dashboard/web/ui/check.tsx'

interface PhpSourceFieldProps {
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Consent to one more apt repository on a server. */
export const PhpSourceField = (props: PhpSourceFieldProps) => (
  <CheckField
    {...props}
    label="Add the PHP repository for versions that Debian does not have"
    about="packages.sury.org, unless the settings of the agent name another. The server trusts its packages and gets its updates."
  />
)
