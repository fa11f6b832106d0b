module shop.example/ops

go 1.23
