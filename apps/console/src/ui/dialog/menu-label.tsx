/** The words of a menu's item; `because` is why it cannot be chosen. */
export const menuLabel = (text: string, disabled_reason: string | undefined) => ({
  disabled: disabled_reason !== undefined,
  label: disabled_reason ? (
    <>
      {text} <span className="dim">{disabled_reason}</span>
    </>
  ) : (
    text
  ),
})
