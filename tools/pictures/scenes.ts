/** Commands that the pictures show, and that tests run again. */

/** In README's quick start: a second stack, which would replace the policy. */
export const REPLACE_PREVIEW = `
sed -i.bak 's/grantMode: merge/grantMode: replace/' Pulumi.yaml
pulumi stack init replaced > /dev/null 2>&1
echo "--- preview"
pulumi preview --suppress-progress --color "\${PICTURE_COLOUR:-never}"
`;
