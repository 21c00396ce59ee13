module perimeter.invalid/tools/release/modzip

go 1.25.0

require golang.org/x/mod v0.36.0
